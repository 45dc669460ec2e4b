//! What others wrote and controllers read, on input that is nearly good: kubeconfigs, inventories, our own kinds, and objects of
//! clusters that anybody may have made.

use bowline_control::KindOf;
use bowline_fuzz::{Target, same};
use bowline_runtime::{Manner, Wire, client_of};
use kube::core::DynamicObject;
use serde_json::Value;

use crate::kubeconfig::{caller, harmless, portable, read, server};
use crate::{clusters, identities, placements, updates, upgrades};

/// Inputs of each target in an ordinary run, at a fixed seed and at another.
const INPUTS: usize = 1000;

const KUBECONFIG: &str = "apiVersion: v1\nkind: Config\ncurrent-context: a\npreferences: {}\ncontexts:\n- {name: a, context: {cluster: one, user: u, namespace: n}}\n\
    clusters:\n- name: one\n  cluster:\n    server: https://me.example.org:6443/path?q#f\n    certificate-authority-data: LS0tLS1CRUdJTiBYCg==\n    \
    tls-server-name: x.example.org\nusers:\n- {name: u, user: {token: s3kr1t, as: ann, as-groups: [g]}}\n";
const FILES: &str = r#"{"current-context":"b","contexts":[{"name":"b","context":{"cluster":"c","user":"u"}}],"clusters":[{"name":"c","cluster":
    {"server":"http://[::1]:1","certificate-authority":"/ca","insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":{"client-certificate":"/c",
    "client-key-data":"LS0tLS1CRUdJTiBYCg==","tokenFile":"/t"}}]}"#;

#[test]
fn what_is_nearly_good_is_read_or_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut targets = updates::fuzz::targets();
    targets.extend(clusters::fuzz::targets());
    targets.extend(identities::fuzz::targets());
    targets.extend(upgrades::fuzz::targets());
    targets.extend(placements::fuzz::targets());
    targets.push(Target::new("kubeconfig", [KUBECONFIG, FILES], kubeconfig));
    targets.push(Target::new("client", [KUBECONFIG], move |input| {
        let Ok(read) = read(&String::from_utf8_lossy(input)) else { return Ok(()) };
        if let Ok(used) = harmless(&read) {
            // It is made or not, and is not used.
            let _ = runtime.block_on(client_of(used, "it", Manner::Once));
        }
        Ok(())
    }));
    bowline_fuzz::run(&targets, INPUTS);
}

fn kubeconfig(input: &[u8]) -> Result<(), String> {
    let read = match read(&String::from_utf8_lossy(input)) {
        Ok(read) => read,
        Err(bad) if bad.to_string().contains("s3kr1t") => return Err(format!("it tells the token: {bad}")),
        Err(_) => return Ok(()),
    };
    let _ = (server(&read), caller(&read));
    let file = |_: &str| Ok(b"-----BEGIN X".to_vec());
    for used in [harmless(&read), portable(&read, None, file)].into_iter().flatten() {
        let text = serde_json::to_string(&used).map_err(|error| error.to_string())?;
        // It is read as YAML, which takes no key that is longer than this.
        if text.len() > 1024 {
            continue;
        }
        let again = crate::kubeconfig::read(&text).and_then(|again| harmless(&again));
        let again = again.map_err(|bad| format!("{bad}: {text}"))?;
        same(text.clone(), &text, serde_json::to_string(&again).ok())?;
    }
    Ok(())
}

/// An input as an object of JSON.
pub(crate) fn object(input: &[u8]) -> Option<Value> {
    serde_json::from_slice(input).ok().filter(Value::is_object)
}

/// What is read of an object is what is drawn into it. All seeds are read.
pub(crate) fn drawn<W: Wire>(
    name: &'static str,
    seed: &'static str,
    wire: W,
    kind: KindOf<W::Object>,
) -> Target
where
    KindOf<W::Object>: Send + Sync + 'static,
{
    let read = |text: &[u8]| serde_json::from_slice::<DynamicObject>(text).ok();
    assert!(read(seed.as_bytes()).is_some_and(|raw| wire.read(kind, &raw).is_some()), "{name} is none");
    Target::new(name, [seed], move |input| {
        let Some(mut raw) = read(input) else { return Ok(()) };
        let Some(object) = wire.read(kind, &raw) else { return Ok(()) };
        wire.draw(&object, &mut raw);
        wire.draw_status(&object, &mut raw);
        let again = wire.read(kind, &raw);
        same(object, &serde_json::to_string(&raw).unwrap_or_default(), again)
    })
}
