//! What else runs in the process of a server, and is asked together with it.

use std::fmt;

/// What else runs in the process of a server: its counts stand in `/metrics`, and `/readyz` waits for it.
pub trait Guest: fmt::Debug + Send + Sync + 'static {
    /// What it is called in `/readyz?verbose`.
    fn name(&self) -> &'static str;

    /// Writes its counts in the text format of OpenMetrics, without the mark of its end.
    fn metrics(&self, out: &mut String);

    /// Whether it can do its work.
    ///
    /// # Errors
    /// Says what it waits for.
    fn ready(&self) -> Result<(), String>;
}
