//! `docs/hub.md` says which kinds differ, and `docs/promises.md` which tests hold which promise; both are held to it.

use std::path::Path;

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

#[test]
fn every_test_that_a_promise_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for named in include_str!("../../../docs/promises.md").split('`').filter(|code| code.contains(".rs: ")) {
        let (file, test) = named.split_once(": ").expect("it has one");
        let is_elsewhere = file.starts_with("e2e/") || file.starts_with("crates/");
        let base = if is_elsewhere { root.join("../..") } else { root.to_owned() };
        let text = std::fs::read_to_string(base.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        let at = lines
            .iter()
            .position(|line| line.strip_prefix("async ").unwrap_or(line).starts_with(&format!("fn {test}(")));
        let is_run = at.is_some_and(|at| {
            let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
            above.clone().any(|line| line.contains("test"))
                && !above.clone().any(|line| line.contains("ignore"))
        });
        assert!(is_run, "there is no test {test} in {file}");
        found += 1;
    }
    assert!(found > 40, "only {found} are named");
}
