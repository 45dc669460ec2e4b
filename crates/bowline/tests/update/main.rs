//! `bowline update`, `upgrade`, `cluster`, `identity`, `place` and `join` against a real hub. There is no controller: the tests say what it would.

mod clusters;
mod ends;
mod hub;
mod identities;
mod imports;
mod places;
mod plans;
mod submits;
mod unlocks;
mod upgrades;
mod verbs;

/// A manifest that anybody may submit.
fn config(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  key: {value:?}\n")
}
