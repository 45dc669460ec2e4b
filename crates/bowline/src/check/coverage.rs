//! Which faults have hit which effects, as a table and as a document.

use bowline_models::{Coverage, Faults, Hit};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::columns::Columns;
use crate::palette::{self, paint};

/// What concerns these kinds only: others had no chance to hit anything.
pub(crate) fn of_kinds(coverage: &Coverage, faults: &Faults) -> Coverage {
    let may_happen = |kind: &str| faults.iter().any(|(other, _)| other == kind);
    let hits = coverage.hits.iter().filter(|(kind, _)| may_happen(kind)).cloned().collect();
    Coverage { effects: coverage.effects, hits }
}

/// The table, and a sentence whether everything was hit.
pub(crate) fn render(coverage: &Coverage) -> String {
    let headings: Vec<&str> = std::iter::once("FAULT").chain(coverage.effects.iter().copied()).collect();
    let mut columns = Columns::new(&headings);
    for (kind, hits) in &coverage.hits {
        let mark = |hit: &Hit| match hit {
            Hit::Yes => (palette::GOOD, "x".into()),
            Hit::Not => (palette::WARN, "-".into()),
            Hit::Never => (palette::PLAIN, "never".into()),
        };
        let cells = std::iter::once((palette::PLAIN, (*kind).into()));
        columns.row(cells.chain(hits.iter().map(mark)).collect());
    }
    format!("{}{}\n", columns.render(), sentence(coverage))
}

fn sentence(coverage: &Coverage) -> String {
    let gaps = coverage.gaps();
    if gaps.is_empty() {
        let spares = coverage.hits.iter().any(|(_, hits)| hits.contains(&Hit::Never));
        let all = if spares { "every effect that it can hit" } else { "every effect" };
        return paint(palette::GOOD, &format!("every fault has hit {all}"));
    }
    let of_kind = |kind: &str| {
        let missed = gaps.iter().filter(|(other, _)| *other == kind).map(|(_, effect)| *effect);
        missed.collect::<Vec<_>>().join(", ")
    };
    let kinds = coverage.hits.iter().map(|(kind, _)| (*kind, of_kind(kind)));
    let missed: Vec<String> = kinds
        .filter(|(_, effects)| !effects.is_empty())
        .map(|(kind, effects)| format!("{kind} ({effects})"))
        .collect();
    let incomplete = paint(palette::WARN, "not every fault has hit every effect");
    format!("{incomplete}; not hit by {}", missed.join("; by "))
}

/// The document: the effects that there are, and which of them each kind has hit.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    complete: bool,
    effects: &'a [&'static str],
    hits: Hits<'a>,
}

impl<'a> Document<'a> {
    /// The document of a table.
    pub(crate) fn new(coverage: &'a Coverage) -> Self {
        let complete = coverage.gaps().is_empty();
        Document { complete, effects: coverage.effects, hits: Hits(coverage) }
    }
}

struct Hits<'a>(&'a Coverage);

impl Serialize for Hits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Coverage { effects, hits } = self.0;
        let mut map = serializer.serialize_map(Some(hits.len()))?;
        for (kind, hits) in hits {
            let hit = effects.iter().zip(hits).filter(|(_, hit)| **hit == Hit::Yes).map(|(effect, _)| effect);
            map.serialize_entry(kind, &hit.collect::<Vec<_>>())?;
        }
        map.end()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two kinds of faults and two effects; `clock` has not hit the second.
    pub(crate) fn table() -> Coverage {
        let hits = vec![("crash", vec![Hit::Yes, Hit::Yes]), ("clock", vec![Hit::Yes, Hit::Not])];
        Coverage { effects: &["look", "make left"], hits }
    }

    #[test]
    fn the_table_marks_hits_and_says_what_is_missing() {
        let plain = |coverage: &Coverage| anstream::adapter::strip_str(&render(coverage)).to_string();
        assert_eq!(
            plain(&table()),
            "\
FAULT  look  make left
crash  x     x
clock  x     -
not every fault has hit every effect; not hit by clock (make left)
"
        );
        let crash = bowline_models::catalogue()
            .iter()
            .find_map(|entry| entry.budgets("crash=1").ok())
            .expect("a model with faults");
        assert_eq!(
            plain(&of_kinds(&table(), &crash)),
            "\
FAULT  look  make left
crash  x     x
every fault has hit every effect
"
        );
    }

    #[test]
    fn what_cannot_be_hit_is_not_missing() {
        let hits = vec![("provider", vec![Hit::Never, Hit::Yes])];
        let table = Coverage { effects: &["look", "make left"], hits };
        let plain = anstream::adapter::strip_str(&render(&table)).to_string();
        assert_eq!(
            plain,
            "\
FAULT     look   make left
provider  never  x
every fault has hit every effect that it can hit
"
        );
    }

    #[test]
    fn the_document_lists_what_each_kind_has_hit() {
        assert_eq!(
            serde_json::to_string(&Document::new(&table())).unwrap(),
            r#"{"complete":false,"effects":["look","make left"],"#.to_string()
                + r#""hits":{"crash":["look","make left"],"clock":["look"]}}"#
        );
    }
}
