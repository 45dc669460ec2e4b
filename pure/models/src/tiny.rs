//! Names and words as the models of controllers have them: in a byte, or none.

/// Names are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Tiny;

/// Words for people: what they are is of no importance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Words;

impl From<&str> for Words {
    fn from(_: &str) -> Words {
        Words
    }
}

impl AsRef<str> for Words {
    fn as_ref(&self) -> &str {
        ""
    }
}
