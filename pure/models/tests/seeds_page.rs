//! `docs/seeds.md` is complete and true: of every seed that has a section there.

use bowline_explorer::{Options, Verdict};
use bowline_models::{Entry, catalogue};

const PAGE: &str = include_str!("../../../docs/seeds.md");

/// A seed, what is ours, and the seed's actions.
const SECTIONS: &[(&str, &str, &[&str])] = &[
    (
        "seed/update-cluster",
        "updates",
        &["Submit", "Initialcheck", "PushToPending", "SpawnWorker", "ApplyStart", "ApplyFinish"],
    ),
    (
        "seed/complete-issu",
        "upgrades",
        &[
            "RunInitialize",
            "RunUpgrade",
            "RunCommit",
            "RunRollback",
            "RunReset",
            "UpgradeNode",
            "DowngradeNode",
            "CrashNode",
        ],
    ),
    (
        "seed/irsa",
        "identities",
        &[
            "Add",
            "Get",
            "Done",
            "CreatePolicy",
            "CreateRole",
            "CreateServiceAccount",
            "PolicyHasNoARN",
            "RoleHasNoRoleARN",
            "RoleHasNoPolicyARN",
            "RoleHasPolicyARN",
            "IrsaAllDone",
            "PolicyAllDone",
            "RoleAllDone",
            "SaAllDone",
            "Termination",
        ],
    ),
    ("seed/kcp-storage", "placements", &["NamespaceController", "PVCController", "Syncer", "Terminating"]),
];

/// What begins a cell of a deviation that no run can show: the seed lacks what would go wrong.
const NOTHING: &str = "nothing: ";

fn entry(name: &str) -> &'static Entry {
    catalogue().iter().find(|entry| entry.name == name).expect("a model in the catalogue")
}

fn claims(name: &str) -> Vec<String> {
    let entry = entry(name);
    let model = entry.size("").and_then(|size| entry.build(&size)).expect("defaults that work");
    model.claims().into_iter().map(|claim| claim.name).collect()
}

fn section(seed: &str) -> &'static str {
    let rest = PAGE.split_once(&format!("`{seed}`, and ours")).expect("a section").1;
    rest.split("\n## ").next().expect("a section")
}

/// What stands in backquotes in a text.
fn quoted(text: &'static str) -> Vec<&'static str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The rows of the table under a heading.
fn rows(section: &'static str, heading: &str) -> Vec<Vec<&'static str>> {
    let part = section.split_once(&format!("### {heading}\n")).expect("a heading").1;
    let part = part.split("\n### ").next().expect("a part");
    let rows = part.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn no_action_and_no_property_is_missing() {
    for (seed, _, actions) in SECTIONS {
        let told: Vec<_> = rows(section(seed), "Actions").iter().flat_map(|row| quoted(row[0])).collect();
        assert_eq!(told, *actions);
        let mut told: Vec<_> =
            rows(section(seed), "Properties").iter().flat_map(|row| quoted(row[0])).collect();
        let mut known = claims(seed);
        told.sort_unstable();
        known.sort_unstable();
        assert_eq!(told, known);
    }
}

#[test]
fn every_claim_that_is_named_as_ours_is_one_and_none_is_missing() {
    for (seed, ours, _) in SECTIONS {
        let known = claims(ours);
        let mut told: Vec<_> =
            rows(section(seed), "Properties").iter().flat_map(|row| quoted(row[1])).collect();
        let alone = section(seed).split_once("Ours alone:").expect("the rest").1;
        told.extend(quoted(alone.split("\n\n").next().expect("a paragraph")));
        for name in &told {
            assert!(known.iter().any(|claim| claim == name), "{name} is no claim of {ours}");
        }
        let judged = known.iter().filter(|name| !["GoesBack", "TakesPlace"].contains(&name.as_str()));
        for name in judged {
            assert!(told.contains(&name.as_str()), "{name} is not told");
        }
    }
}

/// Of the systems together no seed says anything: what is claimed of them is told, and nothing else.
#[test]
fn what_the_systems_owe_each_other_is_told() {
    let part = PAGE.split_once("\n## Across the seeds: `fleet`\n").expect("a section").1;
    let mut told: Vec<_> = quoted(part).into_iter().filter(|name| *name != "fleet").collect();
    let mut known = claims("fleet");
    told.sort_unstable();
    known.sort_unstable();
    assert_eq!(told, known);
}

#[test]
fn every_counterexample_is_shown() {
    for (seed, _, _) in SECTIONS {
        let rows = rows(section(seed), "Deviations");
        assert!(rows.len() >= 7, "{rows:?}");
        for row in rows.into_iter().filter(|row| !row[3].starts_with(NOTHING)) {
            let command = row[3].trim_matches('`');
            let rest = command.strip_prefix("bowline check ").and_then(|rest| rest.strip_prefix(seed));
            let (size, property) = rest.and_then(|rest| rest.split_once(" --property ")).expect(command);
            let size = size.strip_prefix(" --size ").unwrap_or_default();
            let entry = entry(seed);
            let model = entry.size(size).and_then(|size| entry.build(&size)).expect("a size that works");
            let only = [property.to_owned()];
            let report =
                model.check(&Options { properties: Some(&only), ..Options::default() }).expect("a run");
            assert_eq!(report.verdicts[0].verdict, Verdict::Violated, "{command}");
        }
    }
}
