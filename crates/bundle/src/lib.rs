//! Manifests: what a version consists of, for the command line and for controllers alike. No server, no clock.
//!
//! - [`read`] takes manifests from a directory, a file or a stream, and says what is wrong with them and where.
//! - A [`Manifest`] is an object as somebody wants it: what a server sets is not in it. Its [`Wave`] says when it is its turn.
//! - [`pack`] makes the content of a [`Bundle`](bowline_api::updates::Bundle) of them, in parts; [`unpack`] takes it apart
//!   again, and believes nothing. The same manifests have the same digest, in whatever order and style they were written.

mod canonical;
mod clean;
mod digest;
mod fault;
mod held;
mod manifest;
mod pack;
mod parts;
mod read;
mod unpack;
mod wave;

pub use digest::of as digest_of;
pub use fault::{BadManifest, Fault, Place};
pub use manifest::{Key, Manifest};
pub use pack::{PackError, Packed, Part, pack};
pub use parts::{PART_KEY, bytes_of, object_name, secret};
pub use read::{Source, read};
pub use unpack::{BadBundle, unpack, unpack_copy};
pub use wave::Wave;

/// How many objects a bundle has at most.
pub const MAX_OBJECTS: usize = 100_000;
/// How large an object is at most, as JSON: no server of Kubernetes takes more in a request.
pub const MAX_OBJECT_BYTES: usize = 3 << 20;
/// How large the content of a bundle is at most, before it is compressed. Who unpacks it has it in memory.
pub const MAX_CONTENT_BYTES: usize = 64 << 20;
/// How much text is read at most: comments and blanks are not in the content.
pub const MAX_TEXT_BYTES: usize = 2 * MAX_CONTENT_BYTES;
/// How large a part is at most: it has to fit into a Secret, and that into a request to etcd.
pub const MAX_PART_BYTES: usize = 512 << 10;
/// How many parts there are at most.
pub const MAX_PARTS: usize = 256;
