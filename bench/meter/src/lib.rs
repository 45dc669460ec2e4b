//! What the benchmarks measure with: the cost of processes, and how long things took.

mod cost;
mod latencies;

pub use cost::Cost;
pub use latencies::Latencies;
