//! Text in columns.

use anstyle::Style;

use crate::palette::{self, paint};

/// Rows whose cells stand under each other.
pub(crate) struct Columns {
    rows: Vec<Vec<(Style, String)>>,
}

impl Columns {
    /// Columns with these headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let headings = headings.iter().map(|heading| (palette::STRONG, (*heading).into())).collect();
        Columns { rows: vec![headings] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<(Style, String)>) {
        self.rows.push(cells);
    }

    /// The lines, without blanks at their ends.
    pub(crate) fn render(&self) -> String {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|(_, text)| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            out.push_str(&line(row, &widths));
            out.push('\n');
        }
        out
    }
}

/// The beginning of a text that is too long for a line.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

fn line(row: &[(Style, String)], widths: &[usize]) -> String {
    let filled = row.iter().rposition(|(_, text)| !text.is_empty()).map_or(0, |last| last + 1);
    let mut line = String::new();
    for (column, (style, text)) in row[..filled].iter().enumerate() {
        line.push_str(&paint(*style, text));
        if column + 1 < filled {
            let blanks = widths[column] - text.chars().count() + 2;
            line.push_str(&" ".repeat(blanks));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_where_a_character_ends() {
        assert_eq!((short("äöü", 3), short("äöüß", 3)), ("äöü".to_owned(), "äö…".to_owned()));
    }

    #[test]
    fn cells_stand_under_each_other_and_lines_have_no_blanks_at_their_ends() {
        let mut columns = Columns::new(&["NAME", "VERDICT", "TRACE"]);
        let cell = |text: &str| (palette::PLAIN, text.to_string());
        columns.row(vec![cell("a → b"), (palette::BAD, "violated".into()), cell("6 states")]);
        columns.row(vec![cell("longer name"), (palette::GOOD, "holds".into()), cell("")]);
        let plain = anstream::adapter::strip_str(&columns.render()).to_string();
        assert_eq!(
            plain,
            "NAME         VERDICT   TRACE\n\
             a → b        violated  6 states\n\
             longer name  holds\n"
        );
    }
}
