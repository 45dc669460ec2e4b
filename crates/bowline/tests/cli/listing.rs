//! `check --list`.

use super::run;

const MODELS: [&str; 18] = [
    "seed/update-cluster",
    "seed/complete-issu",
    "seed/irsa",
    "seed/kcp-storage",
    "kernel/objects",
    "kernel/watch",
    "kernel/collector",
    "kernel/namespaces",
    "workqueue",
    "control",
    "clusters",
    "updates",
    "identities",
    "upgrades",
    "placements",
    "fleet",
    "leases",
    "leases/judge",
];

#[test]
fn the_table_has_every_model_with_its_defaults() {
    let ran = run("check --list").exits(0).says("MODEL").says("requests=2,workers=2");
    for seed in MODELS {
        assert!(ran.stdout.lines().any(|line| line.starts_with(seed)), "{}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn the_wide_table_has_size_keys_and_properties() {
    let ran = run("check --list -o wide").exits(0);
    let line = |words: &[&str]| {
        ran.stdout.lines().any(|line| line.split_whitespace().take(words.len()).eq(words.iter().copied()))
    };
    assert!(line(&["seed/update-cluster", "size", "requests", "2"]), "{}", ran.stdout);
    assert!(line(&["control", "fault", "lost-reply"]), "{}", ran.stdout);
    assert!(line(&["clusters", "fault", "provider"]), "{}", ran.stdout);
    assert!(!line(&["control", "fault", "provider"]), "{}", ran.stdout);
    assert!(line(&["seed/kcp-storage", "property", "UsableByAtMostOne", "always"]), "{}", ran.stdout);
}

#[test]
fn json_has_size_keys_with_defaults_fault_kinds_and_properties() {
    let models = run("check --list -o json").exits(0).json();
    let names: Vec<&str> =
        models.as_array().into_iter().flatten().filter_map(|model| model["name"].as_str()).collect();
    assert_eq!(names, MODELS);
    let cluster = &models[0];
    assert_eq!(cluster["size"][0]["name"], "requests");
    assert_eq!(cluster["size"][0]["default"], 2);
    assert_eq!(cluster["size"][0]["min"], 1);
    assert_eq!(cluster["faults"], serde_json::json!([]));
    let kinds =
        ["crash", "conflict", "lost-request", "lost-reply", "relist", "two-leaders", "drift", "clock"];
    assert_eq!(models[9]["faults"], serde_json::json!(kinds));
    let with_an_outside: Vec<_> = kinds.into_iter().chain(["provider"]).collect();
    assert_eq!(models[10]["faults"], serde_json::json!(with_an_outside));
    assert!(cluster["properties"][0]["name"].is_string());
    assert!(cluster["properties"][0]["kind"].is_string());
    let fair = models[1]["size"].as_array().and_then(|keys| keys.iter().find(|key| key["name"] == "fair"));
    assert_eq!(fair.expect("a switch")["default"], false);
}

#[test]
fn yaml_says_the_same() {
    run("check --list -o yaml").exits(0).says("- name: seed/update-cluster").says("default: 2");
}
