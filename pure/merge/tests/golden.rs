//! What a real kube-apiserver 1.34 answered, asked of this crate. The cases are captured by `capture/capture.py`.

mod replay;

use serde_json::Value;

macro_rules! golden {
    ($name:literal) => {
        serde_json::from_str::<Value>(include_str!(concat!("golden/", $name, ".json"))).unwrap()
    };
}

/// Runs every case and says all that differ, not just the first.
fn all(document: &Value, key: &str, check: impl Fn(&Value) -> Result<(), String>) -> usize {
    let cases = document[key].as_array().unwrap();
    let faults: Vec<_> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|fault| format!("{}: {fault}", case["name"])))
        .collect();
    assert!(faults.is_empty(), "{} of {} differ:\n{}", faults.len(), cases.len(), faults.join("\n"));
    cases.len()
}

#[test]
fn schemas_are_admitted_and_refused() {
    assert!(all(&golden!("admission"), "cases", replay::admission) > 60);
}

#[test]
fn objects_are_validated_defaulted_and_pruned() {
    let document = golden!("checks");
    let schema = replay::structural(&document["schema"]);
    assert!(all(&document, "cases", |case| replay::check(&schema, case)) > 100);
}

#[test]
fn old_faults_are_let_be() {
    let document = golden!("checks");
    let schema = replay::structural(&document["tight"]);
    assert!(all(&document, "updates", |case| replay::ratchet(&schema, case)) > 10);
}

#[test]
fn texts_are_read_strictly() {
    let document = golden!("decode");
    let schema = replay::structural(&document["schema"]);
    assert!(all(&document, "cases", |case| replay::decode(&schema, case)) > 15);
}

#[test]
fn built_in_kinds_are_read_as_go_reads_them() {
    let kinds = replay::Kinds::new(&golden!("definitions"));
    assert!(all(&golden!("decode"), "kinds", |case| replay::kind(&kinds.schema(case), case)) > 20);
}

#[test]
fn custom_resources_are_applied() {
    let document = golden!("ssa");
    let schema = replay::structural(&document["schema"]);
    assert!(all(&document, "cases", |case| replay::steps(case, |step| replay::custom(&schema, step))) > 50);
}

#[test]
fn built_in_kinds_are_applied() {
    let kinds = replay::Kinds::new(&golden!("definitions"));
    let check = |case: &Value| {
        let schema = kinds.schema(case);
        replay::steps(case, |step| replay::builtin(&schema, step))
    };
    assert!(all(&golden!("builtin"), "cases", check) > 10);
}

#[test]
fn strategic_patches_are_applied() {
    let kinds = replay::Kinds::new(&golden!("definitions"));
    let check = |case: &Value| {
        let schema = kinds.schema(case);
        replay::steps(case, |step| replay::builtin(&schema, step))
    };
    assert!(all(&golden!("strategic"), "cases", check) > 20);
}

#[test]
fn questions_at_random_are_answered_alike() {
    let document = golden!("random_ssa");
    let schema = replay::structural(&document["schema"]);
    let check = |case: &Value| {
        let case = replay::timeless(case);
        replay::steps(&case, |step| replay::custom(&schema, step))
    };
    assert!(all(&document, "cases", check) >= 30);
    let document = golden!("random_checks");
    let schema = replay::structural(&document["schema"]);
    assert!(all(&document, "cases", |case| replay::check(&schema, case)) >= 300);
    let kinds = replay::Kinds::new(&golden!("definitions"));
    let check = |case: &Value| {
        let (case, schema) = (replay::timeless(case), kinds.schema(case));
        replay::steps(&case, |step| replay::builtin(&schema, step))
    };
    assert!(all(&golden!("random_strategic"), "cases", check) >= 30);
}
