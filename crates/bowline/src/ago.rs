//! How long something is ago, as people say it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// How long something is ago.
pub(crate) fn passed(since: &Time) -> String {
    let seconds = k8s_openapi::jiff::Timestamp::now().duration_since(since.0).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
