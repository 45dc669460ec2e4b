//! The last line of what a quiet task prints, shown on a terminal: a build takes minutes, and somebody who
//! sees nothing for so long thinks that it hangs.

use std::io::{IsTerminal, Write};

/// What the terminal's line has room for, if it is one of 80 columns.
const WIDTH: usize = 79;

/// A line of the terminal that is written again and again.
pub(crate) struct Tail {
    /// What stands at its beginning.
    label: String,
    /// What was taken since the last end of a line.
    rest: Vec<u8>,
}

impl Tail {
    /// A line that begins with a label, if there is a terminal to show it on.
    pub(crate) fn on_terminal(label: String) -> Option<Self> {
        std::io::stdout().is_terminal().then(|| Self::new(label))
    }

    fn new(label: String) -> Self {
        Self { label, rest: Vec::new() }
    }

    /// Takes what a task prints, and shows its last line.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        if let Some(line) = self.last_line(bytes) {
            show(&line);
        }
    }

    /// Shows nothing.
    pub(crate) fn clear(&self) {
        show("");
    }

    /// The last line that is complete and not empty, after the label, as far as there is room.
    fn last_line(&mut self, bytes: &[u8]) -> Option<String> {
        self.rest.extend_from_slice(bytes);
        let end = self.rest.iter().rposition(|byte| *byte == b'\n')?;
        let rest = self.rest.split_off(end + 1);
        let complete = std::mem::replace(&mut self.rest, rest);
        let complete = plain(&String::from_utf8_lossy(&complete));
        let line = complete.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(format!("{}{line}", self.label).chars().take(WIDTH).collect())
    }
}

fn show(line: &str) {
    let mut stdout = std::io::stdout().lock();
    // Only a hint of what is being done now: if it cannot be shown, the result still comes.
    let _ = write!(stdout, "\r\x1b[K{line}").and_then(|()| stdout.flush());
}

/// The text without colours, which would be cut in two, and without other characters that move the cursor.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            // `ESC [ … letter`
            '\x1b' => drop(chars.find(char::is_ascii_alphabetic)),
            '\n' => plain.push('\n'),
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_complete_line_is_shown_after_the_label() {
        let mut tail = Tail::new("clippy  ".into());
        assert_eq!(tail.last_line(b"   Compiling a v1\n   Comp"), Some("clippy  Compiling a v1".into()));
        assert_eq!(tail.last_line(b"iling b"), None);
        assert_eq!(tail.last_line(b" v2\n\n"), Some("clippy  Compiling b v2".into()));
        assert_eq!(tail.last_line(b"\n"), None);
    }

    #[test]
    fn what_does_not_fit_is_cut_and_colours_are_left_out() {
        let mut tail = Tail::new("test  ".into());
        let line = tail.last_line(format!("\x1b[1m\x1b[32m  a\tb\x1b[0m {}\n", "x".repeat(200)).as_bytes());
        let line = line.unwrap_or_default();
        assert!(line.starts_with("test  a b xxx") && line.chars().count() == WIDTH, "{line:?}");
    }
}
