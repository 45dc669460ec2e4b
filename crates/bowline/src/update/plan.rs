//! `bowline update plan`.

use anstyle::Style;
use bowline_api::updates::Plan;
use bowline_controllers::{Action, Against, Foreseen, Foretold};
use serde::Serialize;

use super::Scope;
use super::foresee::{Answer, Question};
use crate::columns::Columns;
use crate::exit::Exit;
use crate::figures::counted;
use crate::output::{self, Format};
use crate::palette::{self, paint};

/// Says what submitting something would do now.
pub(crate) async fn plan(scope: &Scope, question: &Question, format: Format) -> anyhow::Result<Exit> {
    let answer = question.answer(scope).await?;
    let Foreseen { objects, plan, .. } = &answer.foreseen;
    let verdict = Verdict::of(&answer.foreseen);
    if !format.is_text() {
        output::print(&output::document(format, &document(question, &answer, verdict))?)?;
        return Ok(verdict.exit());
    }
    output::print(&(table(objects, format == Format::Wide) + &summary(&answer.foreseen, verdict)))?;
    let is_refused = objects.iter().any(|it| it.action == Action::Refuse);
    if question.cluster_kubeconfig.is_some() && is_refused {
        output::note("The cluster was asked with your credentials: what they may not do, Bowline's may.");
    }
    // What was not tried is not in the plan: when it can be, the plan is another one.
    let is_whole = objects.iter().all(|it| it.action != Action::Untried);
    if matches!(verdict, Verdict::Applies | Verdict::Waits) && is_whole {
        let Question { path, cluster, .. } = question;
        let submit = scope.command("submit", path, cluster, question.stack.as_deref());
        output::note(&format!("To apply this and nothing else:\n  {submit} --plan-hash {}", plan.hash));
    }
    Ok(verdict.exit())
}

/// What would become of a version, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
enum Verdict {
    /// It would be applied.
    Applies,
    /// It would be applied, and there is nothing to do.
    NothingToDo,
    /// It would be applied, and not at once.
    Waits,
    /// It would fail, and change nothing.
    Fails,
    /// It would not even be queued.
    Rejected,
}

impl Verdict {
    fn of(foreseen: &Foreseen) -> Verdict {
        match foreseen {
            Foreseen { rejected: Some(_), .. } => Verdict::Rejected,
            Foreseen { fails: Some(_), .. } => Verdict::Fails,
            Foreseen { waits: Some(_), .. } => Verdict::Waits,
            Foreseen { plan, .. } if plan.total() == 0 => Verdict::NothingToDo,
            _ => Verdict::Applies,
        }
    }

    fn exit(self) -> Exit {
        match self {
            Verdict::Applies | Verdict::NothingToDo | Verdict::Waits => Exit::Done,
            Verdict::Fails | Verdict::Rejected => Exit::EndedBadly,
        }
    }
}

/// What is done to an object, in words, and how that looks.
fn told(action: Action) -> (Style, &'static str) {
    match action {
        Action::Create => (palette::GOOD, "create"),
        Action::Change => (palette::WARN, "change"),
        Action::TakeOver => (palette::WARN, "take over"),
        Action::Later => (palette::GOOD, "create later"),
        Action::Delete => (palette::BAD, "delete"),
        Action::GiveBack => (palette::WARN, "give back"),
        Action::Keep => (palette::FAINT, "leave"),
        Action::Untried => (palette::WARN, "not tried"),
        Action::Refuse => (palette::BAD, "refused"),
        Action::Same => (palette::FAINT, "same"),
    }
}

/// A line for each object that something is to be said of; all of them, if it is wide.
fn table(objects: &[Foretold], wide: bool) -> String {
    let headings: &[&str] =
        if wide { &["ACTION", "OBJECT", "APIVERSION", "WHY"] } else { &["ACTION", "OBJECT", "WHY"] };
    let mut columns = Columns::new(headings);
    let shown: Vec<_> = objects.iter().filter(|it| wide || it.action != Action::Same).collect();
    for it in &shown {
        let (style, action) = told(it.action);
        let plain = |text: String| (palette::PLAIN, text);
        let mut row = vec![(style, action.to_owned()), plain(titled(it))];
        if wide {
            row.push(plain(it.api_version.clone()));
        }
        row.push(plain(it.why.clone().unwrap_or_default()));
        columns.row(row);
    }
    if shown.is_empty() { String::new() } else { columns.render() + "\n" }
}

/// What people call an object.
pub(super) fn titled(it: &Foretold) -> String {
    let Foretold { kind, namespace, name, .. } = it;
    if namespace.is_empty() { format!("{kind} {name}") } else { format!("{kind} {namespace}/{name}") }
}

fn summary(foreseen: &Foreseen, verdict: Verdict) -> String {
    let Plan { hash, create, change, delete } = &foreseen.plan;
    let same = foreseen.objects.iter().filter(|it| it.action == Action::Same).count() as u64;
    let mut lines = match verdict {
        Verdict::NothingToDo => vec![format!(
            "Nothing is to be done: {} to be.",
            match same {
                1 => "1 object is as this version wants it".to_owned(),
                _ => format!("{} are as this version wants them", counted(same, "object")),
            }
        )],
        _ => vec![format!("{create} to create, {change} to change, {delete} to delete, {same} as wanted.")],
    };
    if let Some(doing) = &foreseen.under_way {
        lines.push(format!("Now {doing}: this is the plan for the cluster as it is at this moment."));
    }
    let against =
        |style: Style, what: &str, why: &Against| format!("{}: {}.", paint(style, what), why.message);
    lines.extend(foreseen.rejected.iter().map(|why| against(palette::BAD, "It would be rejected", why)));
    lines.extend(
        foreseen.fails.iter().map(|why| against(palette::BAD, "It would fail, and change nothing", why)),
    );
    lines.extend(foreseen.waits.iter().map(|why| against(palette::WARN, "It would not start at once", why)));
    lines.push(format!("Plan: {hash}"));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The plan for machines: docs/updates.md says what its fields mean.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    cluster: &'a str,
    namespace: &'a str,
    stack: &'a str,
    first_submission: bool,
    version: u64,
    bundle: &'a str,
    verdict: Verdict,
    plan: &'a Plan,
    #[serde(skip_serializing_if = "Option::is_none")]
    under_way: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<&'a Against>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fails: Option<&'a Against>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits: Option<&'a Against>,
    objects: Vec<Entry<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    action: Action,
    api_version: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

fn document<'a>(question: &'a Question, answer: &'a Answer, verdict: Verdict) -> Document<'a> {
    let Answer { namespace, stack, bundle, foreseen } = answer;
    let entry = |it: &'a Foretold| Entry {
        action: it.action,
        api_version: &it.api_version,
        kind: &it.kind,
        namespace: &it.namespace,
        name: &it.name,
        why: it.why.as_deref(),
    };
    Document {
        cluster: &question.cluster,
        namespace,
        stack,
        first_submission: foreseen.is_first,
        version: foreseen.version,
        bundle,
        verdict,
        plan: &foreseen.plan,
        under_way: foreseen.under_way.as_deref(),
        rejected: foreseen.rejected.as_ref(),
        fails: foreseen.fails.as_ref(),
        waits: foreseen.waits.as_ref(),
        objects: foreseen.objects.iter().map(entry).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(action: Action, name: &str) -> Foretold {
        Foretold {
            action,
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            namespace: "shop".into(),
            name: name.into(),
            why: (action == Action::Refuse).then(|| "no".to_owned()),
            before: None,
            after: None,
        }
    }

    fn foreseen(create: u32) -> Foreseen {
        Foreseen {
            is_first: false,
            version: 2,
            plan: Plan { hash: "sha256:1".into(), create, change: 0, delete: 0 },
            objects: vec![
                object(Action::Create, "a"),
                object(Action::Refuse, "b"),
                object(Action::Same, "c"),
            ],
            under_way: None,
            rejected: None,
            fails: None,
            waits: None,
        }
    }

    fn why(message: &str) -> Option<Against> {
        Some(Against { reason: "Because".into(), message: message.into() })
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn what_is_as_it_should_be_is_listed_only_if_asked_for() {
        let it = foreseen(1);
        let short =
            "ACTION   OBJECT            WHY\ncreate   ConfigMap shop/a\nrefused  ConfigMap shop/b  no\n\n";
        assert_eq!(plain(&table(&it.objects, false)), short);
        assert!(plain(&table(&it.objects, true)).contains("same     ConfigMap shop/c  v1"));
        assert_eq!(table(&it.objects[2..], false), "");
    }

    #[test]
    fn the_worst_is_the_verdict_and_all_is_said() {
        let nothing = foreseen(0);
        assert_eq!(Verdict::of(&nothing), Verdict::NothingToDo);
        assert_eq!(
            summary(&nothing, Verdict::NothingToDo),
            "Nothing is to be done: 1 object is as this version wants it to be.\nPlan: sha256:1\n"
        );
        let waits = Foreseen { waits: why("it would wait for x"), ..foreseen(1) };
        assert_eq!((Verdict::of(&waits), Verdict::of(&waits).exit()), (Verdict::Waits, Exit::Done));
        let fails = Foreseen { fails: why("b is refused"), ..waits };
        assert_eq!((Verdict::of(&fails), Verdict::of(&fails).exit()), (Verdict::Fails, Exit::EndedBadly));
        let rejected = Foreseen { rejected: why("it failed before"), ..fails };
        assert_eq!(Verdict::of(&rejected), Verdict::Rejected);
        assert_eq!(
            plain(&summary(&rejected, Verdict::Rejected)),
            "1 to create, 0 to change, 0 to delete, 1 as wanted.\n\
             It would be rejected: it failed before.\n\
             It would fail, and change nothing: b is refused.\n\
             It would not start at once: it would wait for x.\n\
             Plan: sha256:1\n"
        );
    }
}
