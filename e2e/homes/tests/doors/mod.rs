//! Objects that are let in, objects that are not, and who says so.

pub(crate) mod cases;
mod grants;
pub(crate) mod run;
