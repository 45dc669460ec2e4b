//! What machines and other programs read: JSON, YAML, help, completion, man pages.

use super::{folder, run};

#[test]
fn json_has_the_keys_of_the_contract_in_their_order() {
    let ran = run("check seed/update-cluster --threads 1 -o json").exits(1);
    // The keys of the object itself are indented by two blanks.
    let keys: Vec<&str> =
        ran.stdout.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
    let contract = [
        "model",
        "size",
        "faults",
        "complete",
        "distinct",
        "generated",
        "depth",
        "seconds",
        "peak_bytes",
        "threads",
        "collision_probability",
        "properties",
    ];
    assert_eq!(keys, contract);

    let json = ran.json();
    assert_eq!(json["model"], "seed/update-cluster");
    assert_eq!(json["size"], serde_json::json!({"requests": 2, "workers": 2}));
    assert_eq!(json["faults"], serde_json::json!({}));
    assert_eq!(json["complete"], true);
    let counts = ["distinct", "generated", "depth", "threads"].map(|key| json[key].as_u64());
    assert_eq!(counts, [Some(1024), Some(2982), Some(16), Some(1)]);
    assert!(json["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert!(json["peak_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    assert_eq!(json["collision_probability"], 0.0);

    let property = |name: &str| {
        let properties = json["properties"].as_array().expect("a list");
        properties.iter().find(|property| property["name"] == name).expect("the property").clone()
    };
    let lasso = property("NoPartialUpdateTermination");
    assert_eq!((&lasso["kind"], &lasso["verdict"]), (&"eventually_always".into(), &"violated".into()));
    let (length, loops_to) = (lasso["length"].as_u64(), lasso["loops_to"].as_u64());
    assert!(loops_to >= Some(1) && loops_to <= length, "{lasso}");
    let deadlock = property("Deadlock");
    assert_eq!((&deadlock["kind"], &deadlock["length"]), (&"deadlock".into(), &9.into()));
    assert_eq!(deadlock.get("loops_to"), None);
    let holds = property("TypeInvariants");
    assert_eq!((&holds["verdict"], holds.get("length")), (&"holds".into(), None));
}

#[test]
fn switches_are_booleans_and_a_fingerprint_run_says_so() {
    let json = run("check seed/complete-issu --size fair=true --fingerprint -o json").json();
    assert_eq!(json["size"]["fair"], true);
    assert_eq!(json["storage"], "fingerprint");
    assert!(json["collision_probability"].as_f64().is_some_and(|p| p > 0.0 && p < 1e-20));
}

#[test]
fn yaml_says_the_same_as_json() {
    let ran = run("check seed/kcp-storage --property UsableByAtMostOne -o yaml").exits(1);
    ran.says("model: seed/kcp-storage\n")
        .says("  clusters: 2\n")
        .says("faults: {}\n")
        .says("verdict: violated\n");
}

#[test]
fn the_wide_table_says_what_properties_mean() {
    run("check seed/irsa -o wide").says("MEANING");
}

// That all commands do so is seen where they are defined.
#[test]
fn help_and_version_are_results() {
    for command in ["", "update", "update submit", "identity list"] {
        run(&format!("{command} --help")).exits(0).says("Examples:\n  bowline ").says("Usage: ");
    }
    run("--version").exits(0).says(concat!("bowline ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn definitions_are_the_same_in_both_forms_and_roles_come_only_when_asked_for() {
    let list = run("crds -o json").exits(0).json();
    assert_eq!((&list["apiVersion"], &list["kind"]), (&"v1".into(), &"List".into()));
    let items = list["items"].as_array().expect("a list");
    assert_eq!(items.len(), 14);
    assert!(items.iter().all(|item| item["kind"] == "CustomResourceDefinition"));
    let yaml = run("crds").exits(0).stdout;
    let documents: Vec<serde_json::Value> =
        yaml.split("\n---\n").map(|document| serde_saphyr::from_str(document).expect("YAML")).collect();
    assert_eq!(&documents, items);
    let roles = run("crds --with-roles -o json").exits(0).json();
    let names = roles["items"].as_array().expect("a list").iter().skip(14);
    let names: Vec<_> = names.filter_map(|item| item["metadata"]["name"].as_str()).collect();
    assert_eq!(names, ["bowline-view", "bowline-edit", "bowline-admin"]);
    run("crds -o table").exits(2).notes("yaml, json");
}

#[test]
fn every_shell_gets_a_completion_script_that_knows_the_models() {
    for shell in ["bash", "zsh"] {
        run(&format!("completion {shell}"))
            .exits(0)
            .says("bowline")
            .says("seed/kcp-storage")
            .says("max-states");
    }
    for shell in ["elvish", "fish", "powershell"] {
        run(&format!("completion {shell}")).exits(0).says("bowline").says("max-states");
    }
    run("completion tcsh").exits(2).notes("bash");
}

#[test]
fn files_are_completed_only_where_files_are_meant() {
    let script = run("completion bash").exits(0).stdout;
    let mut options = script.split("                --").skip(1);
    let of = |name: &str| options.clone().find(|option| option.starts_with(name)).expect("the option");
    for name in ["size)", "faults)", "property)", "threads)", "max-states)", "max-memory)", "walks)", "seed)"]
    {
        assert!(!of(name).contains("compgen -f"), "{name} {}", of(name));
    }
    assert!(options.any(|option| option.starts_with("trace)") && option.contains("compgen -f")));
}

#[test]
fn man_pages_are_printed_and_written() {
    run("man").exits(0).says(".TH bowline 1").says(".SH EXAMPLES");
    run("man check").exits(0).says("max\\-states").says(".SH EXIT CODES");
    let folder = folder("man").join("new/man1");
    run(&format!("man --dir {}", folder.display())).exits(0);
    for page in ["bowline.1", "bowline-check.1", "bowline-completion.1", "bowline-man.1"] {
        let text =
            std::fs::read_to_string(folder.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(".SH NAME"), "{page}");
        assert!(text.is_ascii(), "roff knows other characters by names only: {page}");
    }
}

#[test]
fn the_page_of_all_fields_is_current() {
    let page = run("crds -o markdown").exits(0).stdout;
    let committed = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/fields.md"))
        .expect("the page");
    assert!(page == committed, "docs/fields.md is old: cargo run -- crds -o markdown > docs/fields.md");
    for expected in ["## NodeGroup", "| `versions[].probe.http.port`* | integer |", "## VolumeGrant"] {
        assert!(page.contains(expected), "{expected}");
    }
    run("crds -o markdown --with-roles").exits(2);
}
