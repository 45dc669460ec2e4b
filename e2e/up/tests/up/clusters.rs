//! Clusters that are added by their kubeconfigs: on each home, each is looked at, and says what is wrong with it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

use anyhow::{Context, Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_hub::Hub;
use bowline_e2e_up::{Place, until};
use serde_json::{Value, json};

use crate::kubeconfig;
use crate::rests::nothing_is_written;

#[test]
fn clusters_are_looked_at_on_the_hub() -> Result<()> {
    story(Kind::Embedded)
}

#[test]
fn clusters_are_looked_at_on_kubernetes() -> Result<()> {
    story(Kind::Kubernetes)
}

fn story(kind: Kind) -> Result<()> {
    let mut place = Place::start(kind)?;
    let target = Hub::start(&place.path("target"))?;
    let file = place.path("prod.kubeconfig");
    fs::copy(target.kubeconfig(), &file)?;
    let add = format!("cluster add prod --kubeconfig {}", file.display());
    place.says(&add, 0, &["is added", "It is ready", "everything is allowed"])?;
    place.says(
        "cluster show prod",
        0,
        &["kubeconfig", "bowline-system/prod-kubeconfig-", "every namespace"],
    )?;

    let server = target_of(&file)?;
    place.says("cluster show prod", 0, &["Since:", &format!("Server:     {server}\n")])?;
    place.says("cluster list -o wide", 0, &["SINCE", &server])?;
    place.kubectl()?.says("get clusters -o wide", "", &server)?;
    what_uses_it_keeps_it(&place)?;

    what_cannot_be_used_is_refused(&place)?;
    what_is_not_allowed_is_named(&place, &target)?;
    who_is_nobody_is_told_so(&place)?;
    if kind == Kind::Kubernetes {
        place.says("cluster add toy --embedded", 1, &["It is not ready", "this is another home"])?;
        place.says("cluster remove toy", 0, &["is removed"])?;
    }

    // It goes away, and comes back elsewhere; whoever looks at it is killed meanwhile.
    target.kill()?;
    place.stands("prod", "NoAnswer")?;
    nothing_is_written(&place)?;
    place = place.live_again()?;
    place.stands("prod", "NoAnswer")?;
    let target = Hub::start(&place.path("target"))?;
    fs::copy(target.kubeconfig(), &file)?;
    place.says(&add, 0, &["is changed", "It is ready"])?;
    let secrets =
        place.kubectl()?.ok("get secrets -n bowline-system -l bowline.dev/cluster=prod -o name", "")?;
    ensure!(secrets.lines().count() == 1, "the kubeconfig before is gone: {secrets}");

    // Its kubeconfig goes away, and with the cluster the Secret does.
    place.kubectl()?.ok(&format!("delete -n bowline-system {}", secrets.trim()), "")?;
    place.stands("prod", "NoKubeconfig")?;
    place.says(&add, 0, &["It is ready"])?;
    each_change_is_an_event(&place)?;
    until("it is counted", || is_counted(&place, true))?;
    let stack = json!({ "apiVersion": "bowline.dev/v1alpha1", "kind": "Stack", "metadata": { "name": "user" }, "spec": { "cluster": "prod" } });
    place.kubectl()?.ok("apply -f -", &stack.to_string())?;
    place.says("cluster remove prod --force", 0, &["stacks default/user", "stays there", "is removed"])?;
    place.kubectl()?.ok("delete stack user", "")?;
    until("it is not counted any more", || is_counted(&place, false))?;
    until("the Secret is collected", || {
        let left = place.kubectl()?.ok("get secrets -n bowline-system -o name", "")?;
        Ok(if left.contains("prod-kubeconfig") { Err(left) } else { Ok(()) })
    })
}

/// Where the server of a kubeconfig is.
fn target_of(kubeconfig: &std::path::Path) -> Result<String> {
    let config: Value = serde_json::from_str(&fs::read_to_string(kubeconfig)?)?;
    let server = config["clusters"][0]["cluster"]["server"].as_str();
    Ok(server.context("a server")?.to_owned())
}

/// Whoever names a cluster holds it, of whatever kind it is.
fn what_uses_it_keeps_it(place: &Place) -> Result<()> {
    let kubectl = place.kubectl()?;
    let versions = json!([{ "name": "v1", "command": ["/bin/kv"] }]);
    let arn = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    let users = [
        ("Stack", json!({ "cluster": "prod" }), "stacks default/user"),
        ("NodeGroup", json!({ "cluster": "prod", "versions": versions }), "nodegroups default/user"),
        ("SyncTarget", json!({ "cluster": "prod" }), "synctargets user"),
        (
            "IamRoleServiceAccount",
            json!({ "clusters": ["prod"], "managedPolicyArns": [arn] }),
            "iamroleserviceaccounts default/user",
        ),
    ];
    for (kind, spec, said) in users {
        let object = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": kind, "metadata": { "name": "user" }, "spec": spec,
        });
        kubectl.ok("apply -f -", &object.to_string())?;
        place.says("cluster remove prod", 4, &["prod is used", said, "Delete them first"])?;
        kubectl.ok(&format!("delete {} user", kind.to_lowercase()), "")?;
    }
    Ok(())
}

/// What happened to it is seen where people look, in the words of its status; and once, though it was looked at often.
fn each_change_is_an_event(place: &Place) -> Result<()> {
    let events = || {
        let said = place.kubectl()?.ok("get events.events.k8s.io -n default -o json", "")?;
        let said: Value = serde_json::from_str(&said)?;
        let of_prod = |event: &&Value| event["regarding"]["name"] == "prod";
        anyhow::Ok(
            said["items"].as_array().into_iter().flatten().filter(of_prod).cloned().collect::<Vec<_>>(),
        )
    };
    until("each change is an event", || {
        let seen = events()?;
        let has = |reason: &str, kind: &str| {
            seen.iter().any(|event| event["reason"] == reason && event["type"] == kind)
        };
        let all = has("Usable", "Normal") && has("NoAnswer", "Warning") && has("NoKubeconfig", "Warning");
        Ok(if all { Ok(()) } else { Err(format!("{seen:?}")) })
    })?;
    let silent: Vec<_> = events()?.into_iter().filter(|event| event["reason"] == "NoAnswer").collect();
    ensure!(silent.len() == 1 && silent[0]["series"].is_null(), "it fell silent once: {silent:?}");
    let words = silent[0]["note"].as_str().unwrap_or_default();
    ensure!(words.contains("does not answer"), "{words}");
    place.kubectl()?.says("describe cluster prod", "", "NoKubeconfig")?;
    Ok(())
}

fn is_counted(place: &Place, wanted: bool) -> Result<Result<(), String>> {
    let counts = place.page("/metrics")?;
    let ready = counts.contains("bowline_cluster_ready{cluster=\"prod\"} 1.0");
    let looked = counts.contains("bowline_cluster_last_look_timestamp_seconds{cluster=\"prod\"} ");
    let is = ready == wanted && looked == wanted;
    Ok(if is { Ok(()) } else { Err(counts) })
}

fn what_cannot_be_used_is_refused(place: &Place) -> Result<()> {
    let file = place.path("bad.kubeconfig");
    let with = |user: Value| fs::write(&file, kubeconfig(&json!({ "server": "https://127.0.0.1:1" }), &user));
    let add = format!("cluster add bad --kubeconfig {}", file.display());
    with(json!({ "exec": { "apiVersion": "client.authentication.k8s.io/v1", "command": "aws" } }))?;
    place.says(&add, 2, &["gets credentials from a program", "kubectl create token"])?;
    with(json!({ "client-certificate": "nowhere.crt" }))?;
    place.says(&add, 2, &["client-certificate names the file nowhere.crt"])?;
    with(json!({ "username": "me", "password": "sekrit" }))?;
    place.says(&add, 2, &["users[0].user.username is not supported", "since 1.19"])?;
    with(json!({ "client-certificate-data": "sek*rit" }))?;
    place.says(&add, 2, &["users[0].user.client-certificate-data is not base64"])?;
    fs::write(&file, "\n")?;
    place.says(&add, 2, &["it is empty"])?;
    let kept = place.kubectl()?.ok("get secrets -n bowline-system -l bowline.dev/cluster=bad -o name", "")?;
    ensure!(kept.is_empty(), "nothing was kept: {kept}");
    with(json!({ "token": "t" }))?;
    place.says(&format!("{add} --context other"), 2, &["it has no context \"other\": it has \"c\""])?;
    place.says(&add, 1, &["It is not ready", "does not answer"])?;
    place.says("cluster remove bad", 0, &["is removed"])?;
    what_is_put_there_is_not_trusted(place)
}

/// What somebody puts there without asking us may be anything: it is refused, its secrets are not told, and whoever
/// looked at it lives on.
fn what_is_put_there_is_not_trusted(place: &Place) -> Result<()> {
    let at = |server: &str| json!({ "server": server });
    let (one, token) = ("https://127.0.0.1:1", json!({ "token": "sekrit" }));
    let proxy = json!({ "server": one, "proxy-url": "http://me:sekrit@127.0.0.1:1" });
    // The last one is taken from people: then the file is one of theirs.
    let all = [
        (
            kubeconfig(&at(one), &json!({ "token": "sek\nrit" })),
            "the token of its user has a line break",
            true,
        ),
        (kubeconfig(&at("127.0.0.1:17450"), &token), "has to begin with https://", true),
        (kubeconfig(&at("https://me:sekrit@127.0.0.1:1"), &token), "a name or a password in it", true),
        (kubeconfig(&proxy, &token), "proxies are not supported", true),
        ("users: [{name: u, user: {token: [sekrit]}}]".into(), "line 1, column 33", true),
        (kubeconfig(&at(one), &json!({ "tokenFile": "/etc/hostname" })), "tokenFile names a file", false),
    ];
    let (kubectl, file) = (place.kubectl()?, place.path("sly.kubeconfig"));
    for (number, (text, why, everywhere)) in all.iter().enumerate() {
        fs::write(&file, text)?;
        if *everywhere {
            let add = format!("cluster add sly --kubeconfig {}", file.display());
            let said = place.says(&add, 2, &[why])?;
            ensure!(!said.contains("sekrit"), "{said}");
        }
        let name = format!("sly-{number}");
        let make = format!(
            "create secret generic {name} -n bowline-system --from-file=kubeconfig={}",
            file.display()
        );
        kubectl.ok(&make, "")?;
        let sly = json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "Cluster", "metadata": { "name": name },
            "spec": { "kubeconfigSecretRef": { "name": name } },
        });
        kubectl.ok("apply -f -", &sly.to_string())?;
        place.stands(&name, "BadKubeconfig")?;
        let said = kubectl.ok(&format!("get cluster {name} -o yaml"), "")?;
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        ensure!(said.contains(why) && !said.contains("sekrit"), "{said}");
        place.says(&format!("cluster remove {name}"), 0, &[])?;
    }
    Ok(())
}

fn what_is_not_allowed_is_named(place: &Place, target: &Hub) -> Result<()> {
    let kubectl = place.kubectl_of(target.kubeconfig())?;
    kubectl.ok("create serviceaccount limited", "")?;
    kubectl
        .ok("create clusterrolebinding limited --clusterrole=view --serviceaccount=default:limited", "")?;
    let token = kubectl.ok("create token limited", "")?;
    let config = kubectl.ok("config view --raw -o json", "")?;
    let mut config: Value = serde_json::from_str(&config)?;
    config["users"][0]["user"] = json!({ "token": token.trim() });
    let file = place.path("limited.kubeconfig");
    fs::write(&file, config.to_string())?;
    let add = format!("cluster add limited --kubeconfig {}", file.display());
    place.says(&add, 0, &["It is ready", "we may not", "create, patch, delete configmaps"])?;
    place.stands("limited", "LimitedPermissions")?;
    config["users"][0]["user"] = json!({ "token": "wrong" });
    fs::write(&file, config.to_string())?;
    let user = config["users"][0]["name"].clone();
    place.says(
        &add,
        1,
        &["It is not ready", "does not know us (401): ", &format!("credentials of the user {user} in")],
    )?;
    config["users"][0]["user"] = json!({});
    fs::write(&file, config.to_string())?;
    place.says(&add, 1, &["It is not ready", "does not know us (40", "has no credentials for"])?;
    place.stands("limited", "Unauthorized")?;
    kubectl.ok("create serviceaccount nothing", "")?;
    let token = kubectl.ok("create token nothing", "")?;
    config["users"][0]["user"] = json!({ "token": token.trim() });
    fs::write(&file, config.to_string())?;
    place.says(&add, 1, &["It is not ready", "allows nothing", "kubectl create clusterrolebinding"])?;
    place.stands("limited", "Unauthorized")?;
    place.says("cluster remove limited", 0, &["is removed"])?;
    Ok(())
}

/// The home is a cluster like any other: a real server lets those ask for its version whom it does not know.
fn who_is_nobody_is_told_so(place: &Place) -> Result<()> {
    let kubectl = place.kubectl()?;
    let mut config: Value = serde_json::from_str(&kubectl.ok("config view --raw -o json", "")?)?;
    kubectl.ok("create serviceaccount nothing", "")?;
    let token = kubectl.ok("create token nothing", "")?;
    let file = place.path("nobody.kubeconfig");
    let add = format!("cluster add nobody --kubeconfig {}", file.display());
    for (user, says) in [
        (json!({}), "has no credentials for"),
        (json!({ "token": "wrong" }), "are wrong, or have expired"),
        (json!({ "token": token.trim() }), "allows nothing of what is done on clusters"),
    ] {
        config["users"][0]["user"] = user;
        fs::write(&file, config.to_string())?;
        place.says(&add, 1, &["It is not ready", says])?;
        place.stands("nobody", "Unauthorized")?;
    }
    place.says("cluster remove nobody", 0, &["is removed"])?;
    Ok(())
}

/// Any address can be registered: what answers there may be anything.
#[test]
fn what_is_no_cluster_is_called_so() -> Result<()> {
    let place = Place::start(Kind::Embedded)?;
    let page = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 26\r\n\r\n<html>\n<h1>no</h1>\n</html>";
    let greeting = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    let endless = "HTTP/1.1 200 OK\r\n\r\n";
    for (name, answer, says, for_ever) in [
        ("hangs", "", "does not answer within 5 s", false),
        ("page", page, "answers 502: <html> <h1>no</h1> </html>", false),
        ("greets", greeting, "no Kubernetes API server", false),
        ("endless", endless, "does not answer", true),
    ] {
        let server = serve(answer, for_ever)?;
        let file = place.path("odd.kubeconfig");
        fs::write(&file, kubeconfig(&json!({ "server": server }), &json!({ "token": "t" })))?;
        let add = format!("cluster add {name} --kubeconfig {}", file.display());
        place.says(&add, 1, &["It is not ready", says])?;
    }
    place.says("cluster list", 0, &["hangs", "endless"])?;
    Ok(())
}

/// Answers every request like this, as long as the test lives.
fn serve(answer: &'static str, for_ever: bool) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let server = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                if answer.is_empty() {
                    // Until the client goes.
                    let _ = stream.read_to_end(&mut Vec::new());
                }
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                let mut sent = stream.write_all(answer.as_bytes());
                while for_ever && sent.is_ok() {
                    sent = stream.write_all(&[b'x'; 65536]);
                }
            });
        }
    });
    Ok(server)
}
