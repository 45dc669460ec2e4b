//! What a JSON patch may make of an object: a few operations can double its size or its depth, again and again, or move
//! a long list by one. (A `test` takes no longer than to read what it compares with, and that was sent.)

use bowline_merge::json::MAX_DEPTH;
use json_patch::PatchOperation;
use json_patch::jsonptr::Pointer;
use serde_json::Value;

/// So many bytes may be copied in all, as by the real server.
const COPIED_BYTES: usize = 3 << 20;
/// So many values may be looked at in all: what is moved back and forth is measured each time.
const MEASURED: usize = 8 << 20;
/// So many items of a list are moved in the time in which one value is looked at.
const MOVED_AT_ONCE: usize = 16;

/// What is used up so far.
#[derive(Default)]
pub(super) struct Budget {
    copied_bytes: usize,
    measured: usize,
}

impl Budget {
    /// Whether the operation may be performed on the object.
    pub(super) fn allows(&mut self, object: &Value, operation: &PatchOperation) -> bool {
        self.measured += moved(object, operation) / MOVED_AT_ONCE;
        if self.measured > MEASURED {
            return false;
        }
        let (path, value) = match operation {
            PatchOperation::Add(add) => (&add.path, Some(&add.value)),
            PatchOperation::Replace(replace) => (&replace.path, Some(&replace.value)),
            PatchOperation::Move(from) => (&from.path, object.pointer(from.from.as_str())),
            PatchOperation::Copy(from) => (&from.path, object.pointer(from.from.as_str())),
            PatchOperation::Remove(_) | PatchOperation::Test(_) => return true,
        };
        // Where there is nothing to take, the operation fails by itself.
        let Some(value) = value else { return true };
        let size = Size::of(value);
        self.measured += size.values;
        if let PatchOperation::Copy(_) = operation {
            self.copied_bytes += size.bytes;
        }
        self.copied_bytes <= COPIED_BYTES
            && self.measured <= MEASURED
            && path.tokens().count() + size.depth <= MAX_DEPTH
    }
}

/// How many items of lists change their place.
fn moved(object: &Value, operation: &PatchOperation) -> usize {
    let places = match operation {
        PatchOperation::Add(add) => [Some(&add.path), None],
        PatchOperation::Remove(remove) => [Some(&remove.path), None],
        PatchOperation::Copy(copy) => [Some(&copy.path), None],
        PatchOperation::Move(from) => [Some(&from.from), Some(&from.path)],
        PatchOperation::Replace(_) | PatchOperation::Test(_) => [None, None],
    };
    places.into_iter().flatten().map(|place| behind(object, place)).sum()
}

/// How many items stand behind a place in a list. What does not name one fails by itself.
fn behind(object: &Value, place: &Pointer) -> usize {
    let Some((list, place)) = place.split_back() else { return 0 };
    let Some(Value::Array(items)) = object.pointer(list.as_str()) else { return 0 };
    let index = place.to_index().ok().and_then(|index| index.for_len_incl(items.len()).ok());
    index.map_or(0, |index| items.len() - index)
}

/// How much a value is. No value is deeper than [`MAX_DEPTH`]: this sees to it.
#[derive(Default)]
struct Size {
    /// As JSON, about.
    bytes: usize,
    values: usize,
    depth: usize,
}

impl Size {
    fn of(value: &Value) -> Size {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Size { bytes: 4, values: 1, depth: 0 },
            Value::String(text) => Size { bytes: text.len() + 2, values: 1, depth: 0 },
            Value::Array(items) => Size::around(items.iter().map(|item| (1, item))),
            Value::Object(fields) => Size::around(fields.iter().map(|(name, field)| (name.len() + 4, field))),
        }
    }

    /// Of what has these values in it, each with the bytes that go with it.
    fn around<'a>(inside: impl Iterator<Item = (usize, &'a Value)>) -> Size {
        let mut size = Size { bytes: 2, values: 1, depth: 0 };
        for (bytes, value) in inside {
            let one = Size::of(value);
            size.bytes += bytes + one.bytes;
            size.values += one.values;
            size.depth = size.depth.max(one.depth);
        }
        size.depth += 1;
        size
    }
}
