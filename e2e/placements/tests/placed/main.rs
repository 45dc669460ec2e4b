//! Namespaces with their data are moved between clusters, with real processes, and a volume server that notes who could write.

mod away;
mod bad_input;
mod chance;
mod copied;
mod deleted;
mod drained;
mod fenced;
mod moved;
mod real;
mod restored;
mod sets;
