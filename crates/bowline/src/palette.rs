//! The colours of text output. They are always written, and [`crate::output`] strips them where
//! stdout or stderr is no terminal or `NO_COLOR` is set.

use anstyle::{AnsiColor, Style};

/// Violated, unreached, panicked.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Holds, reached, as expected.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// INCOMPLETE, unknown.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// Headings and names.
pub(crate) const STRONG: Style = Style::new().bold();
/// The names of actions.
pub(crate) const ACTION: Style = AnsiColor::Cyan.on_default();
/// What may be overlooked.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Nothing special.
pub(crate) const PLAIN: Style = Style::new();

/// The text in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
