//! One quantity, measured several times.

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Sample {
    pub(super) median: f64,
    pub(super) min: f64,
    /// In the order in which they were measured.
    pub(super) all: Vec<f64>,
}

impl Sample {
    pub(super) fn of(all: Vec<f64>) -> Sample {
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let median = match sorted.len() {
            0 => f64::NAN,
            odd if odd % 2 == 1 => sorted[middle],
            _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
        };
        Sample { median, min: sorted.first().copied().unwrap_or(f64::NAN), all }
    }
}
