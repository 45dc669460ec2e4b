//! `--trace FILE`.

use std::fs;
use std::path::Path;

use super::{Ran, folder, run};

fn traced(file: &Path, arguments: &str) -> Ran {
    run(&format!("check {arguments} --trace {}", file.display()))
}

#[test]
fn text_tells_each_step_by_name() {
    let file = folder("trace-text").join("why.txt");
    let ran = traced(&file, "seed/kcp-storage --size clusters=3 --property UsableByAtMostOne").exits(1);
    ran.notes("why.txt: how UsableByAtMostOne is violated");
    let text = fs::read_to_string(file).expect("the trace was written");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("seed/kcp-storage clusters=3"));
    assert_eq!(lines.next(), Some("UsableByAtMostOne is violated: 6 states"));
    assert!(text.contains("    1  initial state\n"), "{text}");
    assert!(text.contains(" → "), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn json_has_every_state_and_the_cycle() {
    let file = folder("trace-json").join("why.json");
    traced(&file, "seed/update-cluster --property NoPartialUpdateTermination").exits(1);
    let text = fs::read_to_string(file).expect("the trace was written");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["property"], "NoPartialUpdateTermination");
    let steps = json["steps"].as_array().expect("steps");
    assert_eq!(Some(steps.len() as u64), json["length"].as_u64());
    assert_eq!(steps[0]["action"], serde_json::Value::Null);
    assert!(steps[1..].iter().all(|step| step["action"].is_string()));
    assert_eq!(json["cycle"]["loops_to"], json["loops_to"]);
    // The changes of a step lead from the state before to the state itself.
    for pair in steps.windows(2) {
        let mut state = pair[0]["state"].clone();
        for change in pair[1]["changed"].as_array().expect("changes") {
            let name = change["name"].as_str().expect("a name");
            assert_eq!(state[name], change["old"]);
            state[name] = change["new"].clone();
        }
        assert_eq!(state, pair[1]["state"]);
    }
}

#[test]
fn svg_is_well_formed_and_has_every_action() {
    let folder = folder("trace-svg");
    let properties = [
        "Deadlock",
        "NoPartialUpdateTermination",
        "LockFreedInfinitelyOften",
        "NoUselessApply",
        "FailuresStop",
    ];
    for property in properties {
        let (svg, json) = (folder.join("why.svg"), folder.join("why.json"));
        traced(&svg, &format!("seed/update-cluster --property {property}")).exits(1);
        traced(&json, &format!("seed/update-cluster --property {property}")).exits(1);
        let svg = fs::read_to_string(svg).expect("the picture was written");
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error} in\n{svg}"));
        assert!(document.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        assert!(texts.contains(&format!("{property} is violated").as_str()), "{svg}");
        let json = fs::read_to_string(json).expect("the trace was written");
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        for step in json["steps"].as_array().expect("steps") {
            if let Some(action) = step["action"].as_str() {
                assert!(texts.contains(&action), "no {action} in\n{svg}");
            }
        }
    }
}

#[test]
fn of_several_violations_the_first_declared_is_written() {
    let file = folder("trace-first").join("why.txt");
    let ran = traced(&file, "seed/update-cluster --property LockHasHolder --property Deadlock").exits(1);
    ran.notes("how Deadlock is violated");
    let text = fs::read_to_string(file).expect("the trace was written");
    assert!(text.contains("Deadlock is violated: 9 states"), "{text}");
}

#[test]
fn without_a_violation_nothing_is_written() {
    let file = folder("trace-none").join("why.svg");
    let ran = traced(&file, "seed/update-cluster --property TypeInvariants").exits(0);
    ran.notes("nothing was violated: ").notes("is not written\n");
    assert!(!file.exists());
    fs::write(&file, "an older picture").expect("a file");
    let ran = traced(&file, "seed/update-cluster --property TypeInvariants").exits(0);
    ran.notes("is not written; the file there is an older one\n");
    assert_eq!(fs::read_to_string(file).expect("it is still there"), "an older picture");
}

#[test]
#[cfg(unix)]
fn a_link_that_leads_nowhere_yet_is_written_through() {
    let folder = folder("trace-link");
    let (link, target) = (folder.join("link.txt"), folder.join("why.txt"));
    std::os::unix::fs::symlink("why.txt", &link).expect("a link can be made");
    traced(&link, "seed/update-cluster --property TypeInvariants").exits(0);
    assert!(link.is_symlink() && !target.exists(), "nothing was found, and nothing is left behind");
    traced(&link, "seed/update-cluster --property Deadlock").exits(1);
    assert!(link.is_symlink());
    assert!(fs::read_to_string(target).expect("the trace was written").contains("Deadlock is violated"));
}

#[test]
fn an_extension_may_be_in_capitals() {
    let file = folder("trace-capitals").join("WHY.SVG");
    traced(&file, "seed/kcp-storage --property UsableByAtMostOne").exits(1);
    assert!(fs::read_to_string(file).expect("the picture was written").starts_with("<svg"));
}
