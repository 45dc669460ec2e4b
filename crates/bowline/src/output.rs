//! Results on stdout, everything else on stderr.

use std::io::{self, Write};

use anyhow::Context;
use clap::ValueEnum;
use serde::Serialize;

/// The form in which results are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// The same with more columns
    Wide,
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
}

impl Format {
    /// Whether people read it.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Format::Table | Format::Wide)
    }
}

/// A document for machines: YAML if asked for, else JSON.
pub(crate) fn document<T: Serialize>(format: Format, value: &T) -> anyhow::Result<String> {
    let mut text = match format {
        Format::Yaml => serde_saphyr::to_string(value).context("cannot write the result as YAML")?,
        _ => serde_json::to_string_pretty(value).context("cannot write the result as JSON")?,
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Prints a result on stdout; colours are left out where they do not belong.
///
/// A reader that went away (`| head`) has seen what it wanted: that is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    reaches(text).map(|_| ())
}

/// The same, for what goes on for ever: says whether anybody still reads.
pub(crate) fn reaches(text: &str) -> anyhow::Result<bool> {
    let mut stdout = anstream::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        other => other.context("cannot write to stdout").map(|()| true),
    }
}

/// Says something on stderr. Where even that fails, nobody is left to tell.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// A text with an end, as a sentence has one.
pub(crate) fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{text}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_end_with_one_newline_in_both_forms() {
        #[derive(Serialize)]
        struct Pair {
            name: &'static str,
            count: u32,
        }
        let pair = Pair { name: "a: b", count: 2 };
        assert_eq!(document(Format::Json, &pair).unwrap(), "{\n  \"name\": \"a: b\",\n  \"count\": 2\n}\n");
        assert_eq!(document(Format::Yaml, &pair).unwrap(), "name: \"a: b\"\ncount: 2\n");
    }
}
