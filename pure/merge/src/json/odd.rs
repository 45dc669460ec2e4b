//! Fields of a text that are odd: as many as anybody reads, and where they stand.

use std::ops::Range;

/// No more odd fields are told, as in Kubernetes.
pub const MAX_ODD: usize = 100;
/// Nor are more bytes of paths looked at: below a long name, every path is long.
const MAX_BYTES: usize = 8 << 20;

/// The paths of odd fields, each once.
#[derive(Default)]
pub(crate) struct Told {
    paths: Vec<String>,
    bytes: usize,
}

impl Told {
    /// Nothing more is told. Who would have to make a path need not.
    pub(crate) fn is_full(&self) -> bool {
        self.paths.len() >= MAX_ODD || self.bytes >= MAX_BYTES
    }

    /// Tells of a field, if there is room.
    pub(crate) fn tell(&mut self, path: &str) {
        if self.is_full() {
            return;
        }
        self.bytes += path.len();
        if !self.paths.iter().any(|told| told == path) {
            self.paths.push(path.to_owned());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub(crate) fn into_paths(self) -> Vec<String> {
        self.paths
    }
}

/// Looks for fields while a text is read. It follows only steps that lead to one of them, and compares each step and
/// not the path: what else is in the text costs nothing, however long its names are.
pub(super) struct Search<'a> {
    /// Sorted.
    wanted: Vec<&'a str>,
    /// Where each of them stands first, and where for the second time: so many fields are before it.
    found: Vec<[Option<usize>; 2]>,
    /// Those that begin with the path so far.
    begun: Range<usize>,
    fields: usize,
    /// Bytes that were compared at most.
    #[cfg(test)]
    pub(super) compared: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(mut wanted: Vec<&'a str>) -> Self {
        wanted.sort_unstable();
        wanted.dedup();
        Search {
            found: vec![[None; 2]; wanted.len()],
            begun: 0..wanted.len(),
            wanted,
            fields: 0,
            #[cfg(test)]
            compared: 0,
        }
    }

    /// The path goes a step on, beyond its first `length` bytes. Gives what [`Search::back`] needs.
    pub(super) fn step(&mut self, path: &str, length: usize) -> Range<usize> {
        let before = self.begun.clone();
        if before.is_empty() {
            return before;
        }
        let step = &path.as_bytes()[length..];
        #[cfg(test)]
        {
            self.compared += step.len() * (2 * before.len().ilog2() as usize + 2);
        }
        let some = &self.wanted[before.clone()];
        let low = some.partition_point(|wanted| &wanted.as_bytes()[length..] < step);
        let high = low + some[low..].partition_point(|wanted| wanted.as_bytes()[length..].starts_with(step));
        self.begun = before.start + low..before.start + high;
        before
    }

    /// The path is a field's.
    pub(super) fn at_field(&mut self, path: &str) {
        // Of all that begin alike, the shortest is first.
        if let Some(wanted) = self.wanted[self.begun.clone()].first()
            && wanted.len() == path.len()
        {
            let free = self.found[self.begun.start].iter_mut().find(|place| place.is_none());
            if let Some(free) = free {
                *free = Some(self.fields);
            }
        }
        self.fields += 1;
    }

    /// The path goes back to where it was.
    pub(super) fn back(&mut self, before: Range<usize>) {
        self.begun = before;
    }

    /// Where a field stands for the first or the second time; what is nowhere comes last.
    pub(super) fn place(&self, path: &str, twice: bool) -> usize {
        let index = self.wanted.binary_search(&path).ok();
        index.and_then(|index| self.found[index][usize::from(twice)]).unwrap_or(usize::MAX)
    }
}
