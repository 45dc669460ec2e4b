//! What the benchmarks measure with: the cost of processes, how long things took, and what a hub counts.

mod cost;
mod counts;
mod latencies;
mod renewals;

pub use cost::Cost;
pub use counts::Counts;
pub use latencies::Latencies;
pub use renewals::Renewals;
