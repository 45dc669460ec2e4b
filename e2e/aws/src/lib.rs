//! AWS for tests, on loopback.
//!
//! [`fake`] is an IAM of our own that is as strict as AWS is; [`moto`] is the one that others use, which is laxer; [`proxy`]
//! stands before either and loses requests, loses answers and answers in their place. What `crates/aws` does with them is
//! in `tests/`.

pub mod fake;
pub mod moto;
pub mod proxy;
mod serve;
