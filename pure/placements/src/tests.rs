//! Stories of namespaces that are placed, moved, cut off and deleted.

mod clusters;
mod fences;
mod moves;
mod restores;
mod town;
mod volumes;
mod windows;

use crate::Names;

/// Names are text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Plain;

impl Names for Plain {
    type Namespace = &'static str;
    type Target = &'static str;
    type Volume = &'static str;
    type Label = &'static str;
    type Uid = u8;
    type Text = String;
}
