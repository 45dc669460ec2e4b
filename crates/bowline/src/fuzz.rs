//! What people type, on what is nearly right: it is refused in words, and nothing else happens.

use std::fmt::{Debug, Display};

use bowline_fuzz::{Target, same};
use clap::Parser as _;

use crate::check::fuzz;
use crate::cli::Cli;
use crate::duration::{duration, some_time};
use crate::memory::Memory;
use crate::update::Named;
use crate::{audit, connection, hub};

/// Inputs of each target in an ordinary run, at a fixed seed and at another.
const INPUTS: usize = 1000;

const LINES: [&str; 6] = [
    "check seed/update-cluster --size requests=4,workers=8 --max-memory 1.5Gi --threads 2 --trace why.svg",
    "check control --faults crash=1,lost-reply=1 -o json --walks 3 --seed 7",
    "update submit ./app --cluster toy --stack s --health-timeout 5m --wait --timeout 1h",
    "update rollback prod/3 -n team --kubeconfig k --context c",
    "up --data d --listen [::1]:7443 --audit-log-maxsize 7",
    "cluster add c --kubeconfig f --namespaces a,b",
];

#[test]
fn what_is_nearly_right_is_read_or_refused() {
    let targets = [
        Target::new("command-line", LINES, |input| {
            let line = String::from_utf8_lossy(input);
            drop(Cli::try_parse_from(std::iter::once("bowline").chain(line.split(' '))));
            Ok(())
        }),
        text("duration", &["30s", "5m", "1h"], |text| {
            let _ = (duration(text), some_time(text));
            Ok(())
        }),
        // It is rounded when it is printed, and once only.
        text("memory", &["500MB", "2GiB", "1.5Gi", "16777215TiB", "1023.5k"], |text| {
            printed(text.parse::<Memory>().ok())
        }),
        text("version-name", &["3", "prod/12", "prod-x7k2p"], |text| {
            Named::parse(text).map_or(Ok(()), |_| Ok(()))
        }),
        text("hub-address", &["127.0.0.1:7443", "[::1]:7443"], |text| {
            let Ok(read) = hub::address(text) else { return Ok(()) };
            same(read, &read.to_string(), hub::address(&read.to_string()).ok())
        }),
        text("hub-name", &["hub.example.org", "*.example.org", "10.0.0.1"], |text| {
            hub::name(text).map_or(Ok(()), |_| Ok(()))
        }),
        text("hash", &[&"0f".repeat(32)], |text| audit::hash(text).map_or(Ok(()), |_| Ok(()))),
        text("model-size", &["requests=4,workers=8", "clusters=3", "fair=true"], fuzz::size),
        text("fault-budgets", &["crash=1,lost-reply=1", "singles", "pairs"], fuzz::faults),
        Target::new("kubeconfig-file", [KUBECONFIG], kubeconfig),
    ];
    bowline_fuzz::run(&targets, INPUTS);
}

const KUBECONFIG: &str = "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts:\n- {name: a, context: {cluster: one, user: u}}\nclusters:\n\
    - {name: one, cluster: {server: 'https://one', certificate-authority: ca.crt}}\nusers:\n- name: u\n  user:\n    token: s3kr1t\n    as-groups: [g]\n";

/// Whatever is wrong with a kubeconfig, what is said of it goes to a terminal or into somebody's log.
fn kubeconfig(input: &[u8]) -> Result<(), String> {
    let file = std::env::temp_dir().join(format!("bowline-fuzz-of-kubeconfig-file-{}", std::process::id()));
    std::fs::write(&file, input).map_err(|error| error.to_string())?;
    let read = connection::read(&file);
    let _ = std::fs::remove_file(&file);
    match read.map_err(|error| format!("{error:#}")) {
        Err(said) if said.contains("s3kr1t") => Err(format!("it tells the token: {said}")),
        _ => Ok(()),
    }
}

fn text(name: &'static str, seeds: &[&str], check: fn(&str) -> Result<(), String>) -> Target {
    Target::new(name, seeds, move |input| check(&String::from_utf8_lossy(input)))
}

fn printed<T: Display + Debug + std::str::FromStr>(read: Option<T>) -> Result<(), String> {
    let Some(read) = read else { return Ok(()) };
    let text = read.to_string();
    let again = text.parse::<T>().ok().map(|again| again.to_string());
    same(text.clone(), &text, again)
}
