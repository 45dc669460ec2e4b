//! `docs/hub.md` says which kinds differ, and is held to it.

use bowline_apiserver::differences::{AS_SENT, FILLED_IN_ONLY, NOT_SERVED};

#[test]
fn the_document_names_every_kind_that_differs() {
    let document = include_str!("../../../docs/hub.md");
    let document: String = document.split_whitespace().collect::<Vec<_>>().join(" ");
    for not in NOT_SERVED {
        assert!(document.contains(not.reason), "{}: {}", not.plural, not.reason);
        let name = if not.plural.is_empty() { not.group } else { not.plural };
        assert!(document.contains(&format!("`{name}`")), "{name}");
    }
    for (_, kind) in AS_SENT.iter().chain(FILLED_IN_ONLY) {
        assert!(document.contains(&format!("`{kind}`")), "{kind}");
    }
}
