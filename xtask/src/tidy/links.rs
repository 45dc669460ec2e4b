//! Every relative link in a document leads to a file of the repository.

use super::{Files, Finding};

/// Finds links that lead nowhere.
pub(super) fn check(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files.ending(".md") {
        for (number, line) in prose_lines(text) {
            for target in targets(&without_code(line)) {
                findings.extend(
                    broken(files, path, &target).map(|what| Finding::new(format!("{path}:{number}"), what)),
                );
            }
        }
    }
    findings
}

/// The lines inside of fenced code blocks.
pub(super) fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter(|line| line.fenced).map(|line| line.text)
}

fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text).filter(|line| !line.fenced).map(|line| (line.number, line.text))
}

struct Line<'a> {
    number: usize,
    text: &'a str,
    fenced: bool,
}

/// All lines but the fences themselves.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => return Some(Line { number: index + 1, text: line, fenced: fence.is_some() }),
        }
        None
    })
}

/// The line with its code spans taken out: what looks like a link there is none.
fn without_code(line: &str) -> String {
    let parts: Vec<_> = line.split('`').collect();
    // An odd number of back-ticks leaves the last one without a partner: it opens nothing.
    let closed = if parts.len() % 2 == 0 { parts.len() - 1 } else { parts.len() };
    let kept = parts.iter().enumerate().filter(|(index, _)| index % 2 == 0 || *index >= closed);
    kept.map(|(_, part)| *part).collect()
}

/// The targets of `[text](target)`, `![text](target "title")` and `[label]: target`.
fn targets(line: &str) -> Vec<String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let defined = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    let raw = inline.chain(defined.filter(|(label, _)| !label.contains(']')).map(|(_, target)| target));
    raw.filter_map(|target| {
        let target = target.trim();
        let bracketed = target.strip_prefix('<').and_then(|rest| rest.split('>').next());
        bracketed.or_else(|| target.split_whitespace().next()).map(str::to_owned)
    })
    .collect()
}

fn broken(files: &Files, document: &str, target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    if path.is_empty() || target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    if path.starts_with('/') {
        return Some(format!("`{target}` is absolute; make it relative to the document"));
    }
    match resolve(document, &path.replace("%20", " ")) {
        None => Some(format!("`{target}` leads out of the repository")),
        Some(resolved) if files.has(&resolved) => None,
        Some(resolved) => Some(format!("`{target}` leads to {resolved}, which does not exist")),
    }
}

/// The path from the root, for a path relative to a document. None if it leads above the root.
fn resolve(document: &str, path: &str) -> Option<String> {
    let mut parts: Vec<_> = document.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let files =
            Files::of([("docs/a.md", text), ("docs/b.md", ""), ("src/x y.rs", ""), ("docs/img/p.svg", "")]);
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        for bad in
            ["[x](c.md)", "a [x](../src/none.rs#L1) b", "![x](img/q.svg)", "[x]: c.md", "[x](<c d.md>)"]
        {
            let findings = found(&format!("first\n{bad}\n"));
            assert!(findings.len() == 1 && findings[0].starts_with("docs/a.md:2: "), "{bad}: {findings:?}");
        }
        assert!(found("[x](../../elsewhere)\n")[0].contains("out of the repository"));
        assert!(found("[x](/docs/b.md)\n")[0].contains("absolute"));
        assert_eq!(found("[x](b.md) and [y](c.md) and [z](d.md)\n").len(), 2);
    }

    #[test]
    fn good_links_are_let_be() {
        for good in [
            "[x](b.md) [y](b.md#part \"title\") [z](./img/p.svg)",
            "[x](../src/x%20y.rs) [y](<../src/x y.rs>) [dir](img) [dir](img/) [root](..)",
            "[x](https://example.com/c.md) [m](mailto:a@b) [here](#part)",
            "`[x](c.md)` and `a[0](c)`",
            "[x]: b.md",
        ] {
            assert!(found(&format!("{good}\n")).is_empty(), "{good}: {:?}", found(&format!("{good}\n")));
        }
    }

    #[test]
    fn fenced_code_is_no_prose() {
        assert!(found("```md\n[x](c.md)\n~~~\n[x](c.md)\n```\n").is_empty());
        assert_eq!(found("```md\n```\n[x](c.md)\n").len(), 1);
        assert_eq!(code_lines("a\n```sh\nb\nc\n```\nd\n").collect::<Vec<_>>(), ["b", "c"]);
    }
}
