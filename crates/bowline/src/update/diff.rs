//! `bowline update diff`.

use bowline_controllers::{Action, Foretold};
use serde_json::Value;
use similar::TextDiff;

use super::Scope;
use super::foresee::Question;
use super::plan::titled;
use crate::exit::Exit;
use crate::figures::counted;
use crate::output::{self, Format};
use crate::palette::{self, paint};

/// Lines around what differs.
const CONTEXT: usize = 3;
/// What stands for an object that is not there.
const NOTHING: &str = "/dev/null";

/// Shows how objects on the cluster differ from what submitting something would make of them.
pub(crate) async fn diff(scope: &Scope, question: &Question, tells: bool) -> anyhow::Result<Exit> {
    let answer = question.answer(scope).await?;
    let mut differences = String::new();
    for it in &answer.foreseen.objects {
        differences += &difference(it)?;
    }
    output::print(&painted(&differences))?;
    let foreseen = &answer.foreseen;
    for it in &foreseen.objects {
        let why = it.why.as_deref().unwrap_or_default();
        match it.action {
            Action::Refuse => output::note(&format!("{} is refused: {why}", titled(it))),
            Action::Untried => output::note(&format!("{} could not be tried: {why}", titled(it))),
            _ => {}
        }
    }
    // Nobody knows whether that differs: who asks for the sake of a code is not told that nothing does.
    let is_untried = foreseen.objects.iter().any(|it| it.action == Action::Untried);
    if foreseen.rejected.is_some() || foreseen.fails.is_some() {
        output::note("As it is, this version would not be applied: `bowline update plan` says why.");
    } else if differences.is_empty() && !is_untried {
        let count = counted(foreseen.objects.len() as u64, "object");
        output::note(&format!("Nothing differs, of {count}."));
    }
    Ok(if tells && (is_untried || !differences.is_empty()) { Exit::EndedBadly } else { Exit::Done })
}

/// How an object differs from what it would be; empty if people see no difference.
fn difference(it: &Foretold) -> anyhow::Result<String> {
    let (before, after) = (yaml(it.before.as_ref())?, yaml(it.after.as_ref())?);
    if before == after {
        return Ok(String::new());
    }
    let named = |side: &str, object: &Option<Value>| match object {
        Some(_) => format!("{side}/{}", path(it)),
        None => NOTHING.to_owned(),
    };
    let (old, new) = (named("live", &it.before), named("planned", &it.after));
    let lines = TextDiff::from_lines(before.as_str(), after.as_str());
    Ok(lines.unified_diff().context_radius(CONTEXT).header(&old, &new).to_string())
}

/// An object as if it were a file.
fn path(it: &Foretold) -> String {
    let parts = [&it.api_version, &it.kind, &it.namespace, &it.name];
    parts.into_iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("/")
}

fn yaml(object: Option<&Value>) -> anyhow::Result<String> {
    object.map_or_else(|| Ok(String::new()), |object| output::document(Format::Yaml, object))
}

/// The same in colours.
fn painted(differences: &str) -> String {
    let line = |line: &str| {
        let style = match line.as_bytes().first() {
            _ if line.starts_with("--- ") || line.starts_with("+++ ") => palette::STRONG,
            Some(b'+') => palette::GOOD,
            Some(b'-') => palette::BAD,
            Some(b'@') => palette::ACTION,
            _ => palette::PLAIN,
        };
        paint(style, line) + "\n"
    };
    differences.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(before: Option<Value>, after: Option<Value>) -> Foretold {
        Foretold {
            action: Action::Change,
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            namespace: "shop".into(),
            name: "a".into(),
            why: None,
            before,
            after,
        }
    }

    fn data(text: &str) -> Option<Value> {
        Some(json!({ "data": { "text": text, "other": "x" }, "kind": "ConfigMap" }))
    }

    #[test]
    fn an_object_is_a_file_in_a_unified_diff() {
        let changed = difference(&object(data("one\ntwo\n"), data("one\n2\n"))).expect("a diff");
        assert_eq!(
            changed,
            "--- live/v1/ConfigMap/shop/a\n+++ planned/v1/ConfigMap/shop/a\n\
             @@ -2,5 +2,5 @@\n   other: x\n   text: |\n     one\n-    two\n+    2\n kind: ConfigMap\n"
        );
        let made = difference(&object(None, data("1"))).expect("a diff");
        assert!(made.starts_with("--- /dev/null\n+++ planned/v1/ConfigMap/shop/a\n@@ -0,0 "), "{made}");
        let gone = difference(&object(data("1"), None)).expect("a diff");
        assert!(
            gone.contains("+++ /dev/null\n") && gone.lines().skip(3).all(|line| line.starts_with('-')),
            "{gone}"
        );
        assert_eq!(difference(&object(data("1"), data("1"))).expect("a diff"), "");
    }

    #[test]
    fn colours_change_no_text() {
        let text = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n";
        let painted = painted(text);
        assert_ne!(painted, text);
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), text);
    }
}
