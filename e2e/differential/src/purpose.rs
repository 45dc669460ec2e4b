//! The table of differences on purpose: in a document, with the reason of each.

use std::path::Path;

use crate::Error;
use crate::compare::Difference;

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The script, or `*`.
    pub script: String,
    /// The name of the step, or `*`.
    pub step: String,
    /// Where in the answer; `*` is any one name in it, and what is below belongs to it.
    pub place: String,
    /// Why it differs.
    pub reason: String,
}

/// All lines.
#[derive(Clone, Debug, Default)]
pub struct Purpose(Vec<Entry>);

const HEAD: [&str; 4] = ["script", "step", "place", "reason"];

impl Purpose {
    /// Reads the table out of a document.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let place = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|source| Error::File { path: place.clone(), source })?;
        Self::parse(&place, &text)
    }

    fn parse(document: &str, text: &str) -> Result<Self, Error> {
        let mut entries = Vec::new();
        let mut inside = false;
        for (index, line) in text.lines().enumerate() {
            let Some(row) = line.trim().strip_prefix('|') else {
                inside = false;
                continue;
            };
            let cells: Vec<_> =
                row.trim_end_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            if cells == HEAD {
                inside = true;
                continue;
            }
            if !inside || cells.iter().all(|cell| cell.chars().all(|c| "-: ".contains(c))) {
                continue;
            }
            let place = format!("{document}:{}", index + 1);
            let [script, step, at, reason] = cells[..] else {
                return Err(Error::Wrong { place, what: "a line has four columns".to_owned() });
            };
            if [script, step, at, reason].contains(&"") {
                return Err(Error::Wrong {
                    place,
                    what: "a column is empty; the reason is needed too".to_owned(),
                });
            }
            let [script, step, at, reason] = [script, step, at, reason].map(str::to_owned);
            entries.push(Entry { script, step, place: at, reason });
        }
        Ok(Self(entries))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Nothing differs on purpose.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sorts differences into those that are in the table and those that are not, and finds the lines that
    /// are about nothing any more.
    pub fn sort(&self, differences: Vec<Difference>) -> (Vec<Difference>, Vec<Difference>, Vec<&Entry>) {
        let mut used = vec![false; self.0.len()];
        let (wanted, others): (Vec<_>, Vec<_>) = differences.into_iter().partition(|difference| {
            let mut found = false;
            for (entry, used) in self.0.iter().zip(&mut used) {
                if entry.covers(difference) {
                    *used = true;
                    found = true;
                }
            }
            found
        });
        let stale = self.0.iter().zip(used).filter(|(_, used)| !used).map(|(entry, _)| entry).collect();
        (wanted, others, stale)
    }
}

impl Entry {
    fn covers(&self, difference: &Difference) -> bool {
        let is = |pattern: &str, name: &str| pattern == "*" || pattern == name;
        let mut place = difference.place.split('/');
        is(&self.script, &difference.script)
            && is(&self.step, difference.step.as_deref().unwrap_or_default())
            && self.place.split('/').all(|part| place.next().is_some_and(|found| is(part, found)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# Differences\n\n| other | table |\n| --- | --- |\n| a | b |\n\n\
        | script | step | place | reason |\n| --- | --- | --- | --- |\n\
        | `crud` | * | `/body/items/*/status` | it has none |\n| * | `make` | `/headers/warning` | no warnings |\n\nEnd.\n";

    fn difference(script: &str, step: Option<&str>, place: &str) -> Difference {
        let step = step.map(str::to_owned);
        let (script, place) = (script.to_owned(), place.to_owned());
        Difference { script, step, request: "1 GET /".to_owned(), place, first: None, second: None }
    }

    #[test]
    fn what_is_in_the_table_is_wanted_and_all_else_is_not() -> Result<(), Error> {
        let purpose = Purpose::parse("d.md", DOCUMENT)?;
        assert_eq!(purpose.len(), 2);
        let (wanted, others, stale) = purpose.sort(vec![
            difference("crud", None, "/body/items/3/status/phase"),
            difference("crud", None, "/body/items"),
            difference("watch", None, "/body/items/3/status"),
            difference("watch", Some("make"), "/headers/warning"),
        ]);
        assert_eq!((wanted.len(), others.len(), stale.len()), (2, 2, 0));
        Ok(())
    }

    #[test]
    fn a_line_about_nothing_is_found() -> Result<(), Error> {
        let purpose = Purpose::parse("d.md", DOCUMENT)?;
        let (_, _, stale) = purpose.sort(vec![difference("x", Some("make"), "/headers/warning")]);
        assert_eq!(stale.iter().map(|entry| entry.script.as_str()).collect::<Vec<_>>(), ["crud"]);
        Ok(())
    }

    #[test]
    fn a_line_without_a_reason_is_refused() {
        let text = DOCUMENT.replace("it has none", "");
        assert!(Purpose::parse("d.md", &text).is_err_and(|error| error.to_string().contains("d.md:9")));
    }
}
