//! Namespaces with their data are moved between clusters, with real processes, and a volume server that notes who could write.

mod apart;
mod away;
mod bad_input;
mod chance;
mod copied;
mod dead_node;
mod deleted;
mod drained;
mod evicted;
mod fenced;
mod forgotten;
mod late;
mod moved;
mod paused;
mod real;
mod refused;
mod restored;
mod sets;
mod shared;
mod window;
