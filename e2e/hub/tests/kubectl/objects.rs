//! Built-in kinds.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use crate::Stage;

const MAP: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {a: b}}
data: {x: '1'}
";

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: a, image: nginx}
      - {name: b, image: busybox}
";

#[test]
fn objects_are_created_read_and_changed() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("objects")?;
    kubectl.says("create -f -", MAP, "configmap/one created")?;
    kubectl.complains("create -f -", MAP, "configmaps \"one\" already exists")?;
    kubectl.says("get configmap one", "", "one    1")?;
    kubectl.says("get cm -A -o name", "", "configmap/one")?;
    kubectl.says("get cm -l a=b -o jsonpath={.items[*].data.x}", "", "1")?;
    kubectl.says("get cm one -o yaml", "", "x: \"1\"")?;
    kubectl.says("get cm one -o wide --show-labels", "", "a=b")?;
    kubectl.says("label cm one c=d", "", "configmap/one labeled")?;
    kubectl.says("annotate cm one note=yes", "", "configmap/one annotated")?;
    kubectl.says("patch cm one --type=merge -p {\"data\":{\"y\":\"2\"}}", "", "configmap/one patched")?;
    kubectl.says(
        "patch cm one --type=json -p [{\"op\":\"add\",\"path\":\"/data/z\",\"value\":\"3\"}]",
        "",
        "patched",
    )?;
    kubectl.says("get cm one -o jsonpath={.data}", "", r#"{"x":"1","y":"2","z":"3"}"#)?;
    kubectl.says("replace -f -", MAP, "configmap/one replaced")?;
    kubectl.says("get cm one -o jsonpath={.data}", "", r#"{"x":"1"}"#)?;
    kubectl.says("describe cm one", "", "x:\n----\n1")?;
    kubectl.says("delete cm one", "", "configmap \"one\" deleted")?;
    kubectl.complains("get cm one", "", "configmaps \"one\" not found")?;
    kubectl.complains("get nonsense", "", "the server doesn't have a resource type \"nonsense\"")
}

#[test]
fn objects_are_applied() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("apply")?;
    kubectl.says("apply -f -", DEPLOYMENT, "deployment.apps/web created")?;
    kubectl.says("apply -f -", DEPLOYMENT, "deployment.apps/web unchanged")?;
    let changed = DEPLOYMENT.replace("nginx", "nginx:2").replace("replicas: 1", "replicas: 2");
    let diff = kubectl.run("diff -f -", &changed)?;
    ensure!(diff.code == 1 && diff.out.contains("+  replicas: 2"), "{diff:#?}");
    kubectl.says("apply -f -", &changed, "deployment.apps/web configured")?;
    kubectl.says(
        "get deploy web -o jsonpath={.spec.template.spec.containers[*].image}",
        "",
        "nginx:2 busybox",
    )?;
    let patch = "patch deploy web -p {\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"b\",\"image\":\"c\"}]}}}}";
    kubectl.says(patch, "", "patched")?;
    kubectl.says("get deploy web -o jsonpath={.spec.template.spec.containers[*].image}", "", "nginx:2 c")?;
    kubectl.says("scale deploy web --replicas=5", "", "deployment.apps/web scaled")?;
    kubectl.says("get deploy web -o jsonpath={.spec.replicas}", "", "5")?;
    kubectl.says("get deploy", "", "web    0/5")?;
    kubectl.says(
        "get deploy web --subresource=scale",
        "",
        "NAME   DESIRED   AVAILABLE   AGE\nweb    5         0",
    )?;
    kubectl.says("set image deploy/web a=other", "", "image updated")?;
    kubectl.complains(
        "apply -f -",
        &DEPLOYMENT.replace("replicas", "replicaz"),
        "unknown field \"spec.replicaz\"",
    )
}

#[test]
fn two_who_apply_can_conflict() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("ssa")?;
    kubectl.says(
        "apply --server-side --field-manager=first -f -",
        MAP,
        "configmap/one serverside-applied",
    )?;
    let other = MAP.replace("'1'", "'2'");
    let said = kubectl.run("apply --server-side --field-manager=second -f -", &other)?;
    ensure!(said.code == 1, "{said:#?}");
    ensure!(said.err.contains("conflict with \"first\": .data.x"), "{said:#?}");
    kubectl.says(
        "apply --server-side --field-manager=second --force-conflicts -f -",
        &other,
        "serverside-applied",
    )?;
    kubectl.says("get cm one -o jsonpath={.data.x}", "", "2")?;
    kubectl.says("apply --server-side --dry-run=server --force-conflicts -f -", MAP, "(server dry run)")?;
    kubectl.says("get cm one -o jsonpath={.data.x}", "", "2")
}

#[test]
fn imperative_creates_arrive_as_protobuf() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("imperative")?;
    for (line, made) in [
        ("create namespace team", "namespace/team"),
        ("create configmap c --from-literal=a=b", "configmap/c"),
        ("create secret generic s --from-literal=a=b", "secret/s"),
        ("create serviceaccount robot", "serviceaccount/robot"),
        ("create deployment d --image=nginx --replicas=2", "deployment.apps/d"),
        ("create job j --image=busybox -- true", "job.batch/j"),
        ("create cronjob cj --image=busybox --schedule=*/5~*~*~*~* -- true", "cronjob.batch/cj"),
        ("create role r --verb=get --resource=pods", "role.rbac.authorization.k8s.io/r"),
        (
            "create rolebinding rb --role=r --serviceaccount=default:robot",
            "rolebinding.rbac.authorization.k8s.io/rb",
        ),
        ("create clusterrole cr --verb=get --resource=nodes", "clusterrole.rbac.authorization.k8s.io/cr"),
        (
            "create clusterrolebinding crb --clusterrole=cr --user=ann",
            "clusterrolebinding.rbac.authorization.k8s.io/crb",
        ),
        ("create service clusterip svc --tcp=80:8080", "service/svc"),
        ("create ingress i --rule=a.example/x=svc:80", "ingress.networking.k8s.io/i"),
        ("create quota q --hard=pods=2", "resourcequota/q"),
        ("create poddisruptionbudget p --selector=a=b --min-available=1", "poddisruptionbudget.policy/p"),
        ("create priorityclass pc --value=5", "priorityclass.scheduling.k8s.io/pc"),
        ("run pod --image=nginx", "pod/pod"),
    ] {
        kubectl.says(line, "", &format!("{made} created"))?;
    }
    kubectl.says("get deploy d -o jsonpath={.spec.template.spec.containers[0].image}", "", "nginx")?;
    kubectl.says("get secret s -o jsonpath={.data.a}", "", "Yg==")?;
    kubectl.says("expose deploy d --port=80", "", "service/d exposed")?;
    kubectl.says("get all", "", "deployment.apps/d")
}

#[test]
fn deletions_take_what_is_owned_or_leave_it() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("delete")?;
    for (policy, stays) in [("background", false), ("foreground", false), ("orphan", true)] {
        kubectl.ok("create -f -", MAP)?;
        let uid = kubectl.ok("get cm one -o jsonpath={.metadata.uid}", "")?;
        let child = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: child\n  ownerReferences:\n  \
             - {{apiVersion: v1, kind: ConfigMap, name: one, uid: {uid}, blockOwnerDeletion: true}}\n"
        );
        kubectl.ok("create -f -", &child)?;
        kubectl.says(&format!("delete cm one --cascade={policy}"), "", "deleted")?;
        if stays {
            kubectl.says("get cm child -o jsonpath={.metadata}", "", "child")?;
            let metadata = kubectl.ok("get cm child -o jsonpath={.metadata.ownerReferences}", "")?;
            ensure!(metadata.is_empty(), "{metadata}");
            kubectl.ok("delete cm child", "")?;
        } else {
            kubectl.ok("wait --for=delete cm/child --timeout=20s", "")?;
        }
    }
    kubectl.ok("create ns gone", "")?;
    kubectl.ok("create cm inside -n gone", "")?;
    kubectl.says("delete ns gone", "", "namespace \"gone\" deleted")?;
    kubectl.complains("get ns gone", "", "not found")?;
    kubectl.complains("delete ns default", "", "this namespace may not be deleted")
}

#[test]
fn watches_show_what_changes() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("watch")?;
    kubectl.ok("create -f -", MAP)?;
    let mut watch = kubectl.command("get cm -l a=b -w -o name").stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(watch.stdout.take().context("its output is piped")?).lines();
    let first = lines.next().context("a line")??;
    kubectl.ok("create -f -", &MAP.replace("one", "two"))?;
    let second = lines.next().context("a line")??;
    watch.kill()?;
    watch.wait()?;
    ensure!((first.as_str(), second.as_str()) == ("configmap/one", "configmap/two"), "{first} {second}");
    let mut wait = kubectl.command("wait --for=jsonpath={.data.ready}=yes cm/one --timeout=30s").spawn()?;
    kubectl.ok("patch cm one --type=merge -p {\"data\":{\"ready\":\"yes\"}}", "")?;
    ensure!(wait.wait()?.success(), "kubectl wait did not see it");
    Ok(())
}

/// What most people see of a watch: a table whose columns are said once.
#[test]
fn watches_show_tables() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("watch-table")?;
    kubectl.ok("create -f -", MAP)?;
    let mut watch = kubectl.command("get cm -l a=b -w").stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(watch.stdout.take().context("its output is piped")?).lines();
    let mut next = || -> Result<String> { Ok(lines.next().context("a line")??) };
    let mut seen = vec![next()?, next()?];
    kubectl.ok("patch cm one --type=merge -p {\"data\":{\"y\":\"2\"}}", "")?;
    seen.push(next()?);
    kubectl.ok("create -f -", &MAP.replace("one", "two"))?;
    seen.push(next()?);
    kubectl.ok("delete cm two", "")?;
    seen.push(next()?);
    watch.kill()?;
    watch.wait()?;
    let words: Vec<Vec<_>> = seen.iter().map(|line| line.split_whitespace().take(2).collect()).collect();
    let expected = [["NAME", "DATA"], ["one", "1"], ["one", "2"], ["two", "1"], ["two", "1"]];
    ensure!(words == expected, "{seen:#?}");
    Ok(())
}

#[test]
fn objects_are_edited_and_events_are_shown() -> Result<()> {
    let Stage { kubectl, .. } = &Stage::new("edit")?;
    kubectl.ok("create -f -", MAP)?;
    let edited = kubectl.command("edit cm one").env("KUBE_EDITOR", "sed -i /x:/s/1/5/").output()?;
    ensure!(edited.status.success(), "{edited:?}");
    kubectl.says("get cm one -o jsonpath={.data.x}", "", "5")?;
    let uid = kubectl.ok("get cm one -o jsonpath={.metadata.uid}", "")?;
    let event = format!(
        "
apiVersion: events.k8s.io/v1
kind: Event
metadata: {{name: seen, namespace: default}}
eventTime: 2026-01-01T00:00:00.000000Z
reportingController: tests
reportingInstance: tests-1
action: Look
reason: Seen
regarding: {{apiVersion: v1, kind: ConfigMap, name: one, namespace: default, uid: {uid}}}
note: somebody looked
type: Normal
"
    );
    kubectl.says("create -f -", &event, "event.events.k8s.io/seen created")?;
    kubectl.says("events", "", "somebody looked")?;
    kubectl.says("get events", "", "Seen")?;
    kubectl.says("get events --field-selector involvedObject.name=one -o name", "", "event/seen")?;
    kubectl.says("describe cm one", "", "somebody looked")
}
