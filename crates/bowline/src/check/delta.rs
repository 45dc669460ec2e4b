//! What changes from a state to the next, with like variables on one line.

use std::fmt;

use bowline_explorer::{Field, Trace};

/// One or several variables that have, or changed to, the same value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// The variable; `door[a, b]` and `queue.{head, tail}` stand for two, `door[*]` for all.
    pub(crate) name: String,
    /// The value before; `None` in an initial state.
    pub(crate) old: Option<String>,
    /// The value.
    pub(crate) new: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.old {
            None => write!(f, "{} = {}", self.name, self.new),
            Some(old) => write!(f, "{}: {old} → {}", self.name, self.new),
        }
    }
}

/// What is to be shown at a state of a trace, which is numbered from 0: everything at the first,
/// the changes at the others.
pub(crate) fn at(trace: &Trace, index: usize) -> Vec<Line> {
    let state = &trace.steps[index].state;
    match index.checked_sub(1) {
        None => collapse(state, state.iter().map(|field| (field, None)).collect()),
        Some(before) => changes(&trace.steps[before].state, state),
    }
}

/// What changes on the way back from the last state of a lasso; nothing if there is no cycle.
pub(crate) fn on_return(trace: &Trace) -> Vec<Line> {
    let target = trace.cycle.as_ref().and_then(|cycle| trace.steps.get(cycle.loops_to.wrapping_sub(1)));
    match (trace.steps.last(), target) {
        (Some(last), Some(target)) => changes(&last.state, &target.state),
        _ => Vec::new(),
    }
}

/// The variables that differ between two states, before and after.
pub(crate) fn differing<'a>(
    before: &'a [Field],
    after: &'a [Field],
) -> impl Iterator<Item = (&'a Field, &'a Field)> {
    before.iter().zip(after).filter(|(old, new)| old != new)
}

fn changes(before: &[Field], after: &[Field]) -> Vec<Line> {
    collapse(after, differing(before, after).map(|(old, new)| (new, Some(old.value.as_str()))).collect())
}

/// A variable's name taken apart at what tells it from its like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name<'a> {
    /// `door[a].lock`: like the other doors' locks.
    Indexed { base: &'a str, index: &'a str, rest: &'a str },
    /// `queue.head`: like the other members of the queue.
    Member { base: &'a str, member: &'a str },
    /// `clock`.
    Alone(&'a str),
}

impl<'a> Name<'a> {
    fn of(name: &'a str) -> Name<'a> {
        let indexed = name.split_once('[').and_then(|(base, tail)| {
            tail.split_once(']').map(|(index, rest)| Name::Indexed { base, index, rest })
        });
        let member = || name.split_once('.').map(|(base, member)| Name::Member { base, member });
        indexed.or_else(member).unwrap_or(Name::Alone(name))
    }

    /// Whether the two differ in the index or the member alone.
    fn is_like(self, other: Name<'_>) -> bool {
        match (self, other) {
            (Name::Indexed { base, rest, .. }, Name::Indexed { base: other, rest: other_rest, .. }) => {
                base == other && rest == other_rest
            }
            (Name::Member { base, .. }, Name::Member { base: other, .. }) => base == other,
            _ => false,
        }
    }

    /// What tells it from its like.
    fn mark(self) -> &'a str {
        match self {
            Name::Indexed { index, .. } => index,
            Name::Member { member, .. } => member,
            Name::Alone(name) => name,
        }
    }
}

struct Group<'a> {
    name: Name<'a>,
    marks: Vec<&'a str>,
    old: Option<&'a str>,
    new: &'a str,
}

/// Brings the variables that differ in their index or member alone and say the same onto one line,
/// at the place of the first of them.
fn collapse(state: &[Field], shown: Vec<(&Field, Option<&str>)>) -> Vec<Line> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (field, old) in shown {
        let name = Name::of(&field.name);
        let same =
            |group: &&mut Group<'_>| group.name.is_like(name) && group.old == old && group.new == field.value;
        match groups.iter_mut().find(same) {
            Some(group) => group.marks.push(name.mark()),
            None => groups.push(Group { name, marks: vec![name.mark()], old, new: &field.value }),
        }
    }
    groups.iter().map(|group| group.line(state)).collect()
}

impl Group<'_> {
    fn line(&self, state: &[Field]) -> Line {
        let name = match self.name {
            Name::Indexed { base, rest, .. } => format!("{base}[{}]{rest}", self.indexes(state)),
            Name::Member { base, member } if self.marks.len() == 1 => format!("{base}.{member}"),
            Name::Member { base, .. } => format!("{base}.{{{}}}", self.marks.join(", ")),
            Name::Alone(name) => name.to_string(),
        };
        Line { name, old: self.old.map(Into::into), new: self.new.into() }
    }

    /// All the indexes there are, if more than two, are `*`.
    fn indexes(&self, state: &[Field]) -> String {
        let all = state.iter().filter(|field| Name::of(&field.name).is_like(self.name)).count();
        if self.marks.len() > 2 && self.marks.len() == all {
            return "*".into();
        }
        self.marks.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use bowline_explorer::{Cycle, Step};

    use super::*;

    fn trace(states: &[&[(&str, &str)]]) -> Trace {
        let step = |state: &&[(&str, &str)]| Step {
            action: None,
            state: state.iter().map(|(name, value)| Field::new(*name, *value)).collect(),
        };
        Trace { steps: states.iter().map(step).collect(), cycle: None }
    }

    fn shown(lines: Vec<Line>) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_initial_state_has_like_variables_on_one_line() {
        let trace = trace(&[&[
            ("w[1].st", "idle"),
            ("w[1].key", "-"),
            ("w[2].st", "idle"),
            ("w[2].key", "r1"),
            ("w[3].st", "idle"),
            ("w[3].key", "-"),
            ("lock", "-"),
        ]]);
        assert_eq!(shown(at(&trace, 0)), ["w[*].st = idle", "w[1, 3].key = -", "w[2].key = r1", "lock = -"]);
    }

    #[test]
    fn two_of_two_are_named_because_that_is_as_short() {
        let trace = trace(&[&[("d[a]", "0"), ("d[b]", "0")]]);
        assert_eq!(shown(at(&trace, 0)), ["d[a, b] = 0"]);
    }

    #[test]
    fn members_that_say_the_same_share_a_line() {
        let trace =
            trace(&[&[("q.head", "-"), ("q.len", "0"), ("q.tail", "-"), ("r.head", "-"), ("v", "0")]]);
        assert_eq!(shown(at(&trace, 0)), ["q.{head, tail} = -", "q.len = 0", "r.head = -", "v = 0"]);
    }

    #[test]
    fn a_step_shows_only_what_changed() {
        let trace = trace(&[
            &[("d[a]", "0"), ("d[b]", "0"), ("d[c]", "1"), ("n", "5")],
            &[("d[a]", "1"), ("d[b]", "1"), ("d[c]", "1"), ("n", "6")],
        ]);
        assert_eq!(shown(at(&trace, 1)), ["d[a, b]: 0 → 1", "n: 5 → 6"]);
    }

    #[test]
    fn the_way_back_is_a_step_too() {
        let mut trace = trace(&[&[("n", "0")], &[("n", "1")], &[("n", "2")]]);
        assert_eq!(shown(on_return(&trace)), [""; 0]);
        trace.cycle = Some(Cycle { loops_to: 2, action: Some("Back".into()) });
        assert_eq!(shown(on_return(&trace)), ["n: 2 → 1"]);
    }
}
