//! Reading an `Accept` header.

/// What comes after this many clauses is not looked at: nobody sends so many in earnest.
const MOST_CLAUSES: usize = 32;

/// One thing that a client accepts.
#[derive(Clone, Debug)]
pub(super) struct Clause<'a> {
    pub(super) kind: &'a str,
    pub(super) subtype: &'a str,
    quality: f32,
    params: Vec<(&'a str, &'a str)>,
}

impl<'a> Clause<'a> {
    /// The value of a parameter; of two the last.
    pub(super) fn param(&self, name: &str) -> Option<&'a str> {
        self.params.iter().rev().find(|(param, _)| *param == name).map(|(_, value)| *value)
    }
}

/// The clauses, the best first.
pub(super) fn parse(header: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<_> = header.split(',').filter_map(clause).take(MOST_CLAUSES).collect();
    // The real server's order is no order in the mathematical sense. Its sort of few is this one.
    for end in 1..clauses.len() {
        let mut at = end;
        while at > 0 && comes_before(&clauses[at], &clauses[at - 1]) {
            clauses.swap(at, at - 1);
            at -= 1;
        }
    }
    clauses
}

fn comes_before(a: &Clause<'_>, b: &Clause<'_>) -> bool {
    a.quality > b.quality || (a.kind != "*" && b.kind == "*") || (a.subtype != "*" && b.subtype == "*")
}

fn clause(part: &str) -> Option<Clause<'_>> {
    let part = trim(part);
    let (media, params) = part.split_once(';').unwrap_or((part, ""));
    let (kind, subtype) = match media.split_once('/') {
        Some((kind, subtype)) if !subtype.is_empty() && !subtype.contains('/') => (trim(kind), trim(subtype)),
        _ if trim(media.trim_end_matches('/')) == "*" => ("*", "*"),
        _ => return None,
    };
    let mut clause = Clause { kind, subtype, quality: 1.0, params: Vec::new() };
    for param in params.split(';') {
        let Some((name, value)) = param.split_once('=') else { continue };
        if value.is_empty() || value.contains('=') {
            continue;
        }
        if trim(name) == "q" {
            clause.quality = value.parse().unwrap_or(0.0);
        } else {
            clause.params.push((trim(name), trim(value)));
        }
    }
    Some(clause)
}

fn trim(text: &str) -> &str {
    text.trim_matches(' ')
}
