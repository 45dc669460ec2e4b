//! Lists, in pages.

use super::query::{Form, Xml};
use super::refusal::Refusal;

/// A page of a list. A marker is the number of what comes next.
pub(super) fn page<T>(
    most: usize,
    form: &Form,
    tag: &str,
    all: &[T],
    mut write: impl FnMut(&mut Xml, &T),
) -> Result<Xml, Refusal> {
    let begin = match form.get("Marker") {
        None => 0,
        Some(marker) => {
            let known = marker.parse().ok().filter(|begin| *begin <= all.len());
            known.ok_or_else(|| Refusal::validation(format!("Invalid Marker: {marker}")))?
        }
    };
    let end = (begin + most).min(all.len());
    let mut xml = Xml::default();
    xml.within(tag, |xml| all[begin..end].iter().for_each(|one| write(xml, one)));
    xml.text("IsTruncated", if end < all.len() { "true" } else { "false" });
    if end < all.len() {
        xml.text("Marker", &end.to_string());
    }
    Ok(xml)
}
