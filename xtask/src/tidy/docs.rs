//! The documents that a stranger looks for are there, and CI does what they say.

use std::collections::BTreeSet;

use super::{Files, Finding};

/// What has to exist.
const REQUIRED: &[(&str, &str)] = &[
    ("README.md", "for users: what it is, and how to start"),
    (MAP, "for contributors: the map, and what is absent"),
    ("CHANGELOG.md", "in the form of Keep a Changelog"),
    ("LICENSE", "the text of the licence"),
    ("docs/adr", "decisions that someone will question"),
    (CI, "what CI runs"),
];
const CI: &str = ".ci/run";
const MAP: &str = "ARCHITECTURE.md";
const ADR: &str = "docs/adr/";

/// Finds what is missing, misnumbered, or no longer true.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    let missing = REQUIRED.iter().filter(|(path, _)| !files.has(path));
    let mut findings: Vec<_> =
        missing.map(|(path, why)| Finding::new(*path, format!("is missing ({why})"))).collect();
    let records = files.under(ADR).map(|(path, _)| &path[ADR.len()..]).filter(|name| *name != "README.md");
    findings.extend(misnumbered(records));
    if let (Some(ci), Some(readme)) = (files.text(CI), files.text("README.md")) {
        findings.extend(disagreement(ci, readme));
    }
    findings.extend(strangers(files));
    findings
}

/// Source files that the map names, and that are not there: whoever moves one moves its name, too.
fn strangers(files: &Files) -> Vec<Finding> {
    let spans = files.text(MAP).into_iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    let named: BTreeSet<_> = spans.filter(|span| span.ends_with(".rs") && !span.contains(' ')).collect();
    let is_there = |name: &str| {
        let end = format!("/{name}");
        files.has(name) || files.all().any(|(path, _)| path.ends_with(&end))
    };
    let gone = named.into_iter().filter(|name| !is_there(name));
    gone.map(|name| {
        Finding::new(MAP, format!("names `{name}`, and no file of the repository is called that"))
    })
    .collect()
}

fn misnumbered<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut numbers = BTreeSet::new();
    for name in names {
        match number(name) {
            None => findings.push(Finding::new(format!("{ADR}{name}"), "is not named NNNN-title.md")),
            Some(number) if !numbers.insert(number) => {
                findings.push(Finding::new(format!("{ADR}{name}"), format!("number {number:04} is taken")));
            }
            Some(_) => {}
        }
    }
    let last = numbers.last().copied().unwrap_or(0);
    let gaps = (1..last).filter(|number| !numbers.contains(number));
    findings
        .extend(gaps.map(|number| Finding::new(ADR, format!("there is a {last:04}, but no {number:04}"))));
    findings
}

fn number(name: &str) -> Option<u32> {
    let (digits, title) = name.strip_suffix(".md")?.split_once('-')?;
    let title_is_plain = title.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let number =
        (digits.len() == 4 && !title.is_empty() && title_is_plain).then(|| digits.parse().ok())??;
    (number > 0).then_some(number)
}

/// CI runs one command, and it is the one that the README tells contributors to run.
fn disagreement(ci: &str, readme: &str) -> Option<Finding> {
    let commands: Vec<_> = ci.lines().map(str::trim).filter(|line| is_command(line)).collect();
    let [command] = commands[..] else {
        let what =
            format!("runs {} commands ({}); it runs one, the README's", commands.len(), commands.join("; "));
        return Some(Finding::new(CI, what));
    };
    let told = super::links::code_lines(readme).any(|line| without_comment(line) == command);
    (!told).then(|| {
        Finding::new("README.md", format!("no code block has the line `{command}`, which is what {CI} runs"))
    })
}

fn is_command(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#') && !line.starts_with("set -") && !line.starts_with("cd ")
}

fn without_comment(line: &str) -> &str {
    let line = line.trim().trim_start_matches("$ ");
    line.split_once(" #").map_or(line, |(command, _)| command).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_document_is_found() {
        for (missing, _) in REQUIRED {
            let rest = REQUIRED.iter().map(|(path, _)| *path).filter(|path| path != missing);
            let rest = rest.map(|path| if path == "docs/adr" { "docs/adr/README.md" } else { path });
            let files = Files::of(rest.map(|path| (path, if path == CI { "a\n" } else { "```\na\n```\n" })));
            let findings = check(&files);
            assert!(findings.len() == 1 && findings[0].place == *missing, "{missing}: {findings:?}");
        }
    }

    #[test]
    fn records_are_numbered_from_one_without_gaps() {
        let found = |names: &[&str]| misnumbered(names.iter().copied()).len();
        assert_eq!(found(&["0001-a.md", "0002-b-c.md"]), 0);
        assert_eq!(found(&["0001-a.md", "0003-b.md"]), 1, "a gap");
        assert_eq!(found(&["0002-a.md"]), 1, "no first");
        assert_eq!(found(&["0001-a.md", "0001-b.md"]), 1, "twice");
        for name in ["1-a.md", "0001.md", "0001-a.txt", "0001-A b.md", "notes.md", "0000-a.md", "0001-.md"] {
            assert_eq!(found(&[name]), 1, "{name}");
        }
    }

    #[test]
    fn ci_runs_one_command_and_the_readme_has_it() {
        let ci = "#!/bin/bash\nset -eu\ncd x\n\ncargo xtask test\n";
        assert_eq!(disagreement(ci, "Run:\n```sh\n$ cargo xtask test   # all\n```\n"), None);
        assert!(disagreement(ci, "Run `cargo xtask test`.\n").is_some(), "not in a code block");
        assert!(disagreement(ci, "```sh\ncargo xtask test --only fmt\n```\n").is_some(), "another command");
        assert!(disagreement("cargo a\ncargo b\n", "```\ncargo a\ncargo b\n```\n").is_some(), "two commands");
        assert!(disagreement("# nothing\n", "").is_some(), "none");
    }

    #[test]
    fn the_map_names_no_file_that_is_gone() {
        let map =
            "```\nsrc/a.rs is `here`\n```\n`a.rs`, `src/a.rs` and `gone.rs`, `elsewhere/a.rs`; `x a.rs`\n";
        let files = Files::of([(MAP, map), ("crates/src/a.rs", "")]);
        let places: Vec<_> = strangers(&files).into_iter().map(|finding| finding.what).collect();
        assert_eq!(places.len(), 2, "{places:?}");
        assert!(places[0].contains("elsewhere/a.rs") && places[1].contains("gone.rs"), "{places:?}");
    }
}
