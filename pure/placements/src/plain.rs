//! Names as they are where it runs: text.

pub mod signs;

use crate::state::Names;

/// Names are text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Plain;

impl Names for Plain {
    type Namespace = String;
    type Target = String;
    /// The namespace, a dot, and the name of the claim there: no namespace has a dot in its name.
    type Volume = String;
    /// A key, and a value behind `=` if there is one.
    type Label = String;
    type Uid = String;
    type Text = String;
}
