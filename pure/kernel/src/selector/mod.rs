//! Label and field selectors, in the syntax, with the meaning and with the errors of Kubernetes.

mod fields;
mod go;
mod labels;
mod lexer;
mod parser;
mod requirement;

pub use fields::{Fields, Requirement};
pub use labels::{Expression, Labels};

#[cfg(test)]
mod tests;
