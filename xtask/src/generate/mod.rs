//! `cargo xtask generate`: what is derived from others' sources, committed, and never edited by hand.

mod definitions;
mod messages;
mod proto;
mod render;
mod resources;
mod tags;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use bowline_realkube::{Options, RealKube};
use serde_json::{Value, json};

use crate::log::Log;
use crate::referee::scratch::Scratch;
use crate::testenv::{Go, Pins, binaries};
use crate::workspace::Workspace;

/// What to generate.
#[derive(clap::Subcommand)]
pub(crate) enum Generate {
    /// The tables of Kubernetes' built-in kinds, from the pinned kube-apiserver and the sources of its API
    Builtins(BuiltinsArgs),
}

#[derive(clap::Args)]
pub(crate) struct BuiltinsArgs {
    /// Write nothing; fail if what is committed is not what would be written
    #[arg(long)]
    check: bool,
}

/// Where it goes.
const DATA: &str = "crates/apiserver/data";
/// The modules with the messages of the API, and the part of each that has them.
const MODULES: &[(&str, &str)] = &[
    ("k8s.io/api", ""),
    ("k8s.io/apimachinery", "pkg"),
    ("k8s.io/apiextensions-apiserver", "pkg/apis"),
    ("k8s.io/kube-aggregator", "pkg/apis"),
];

/// Whether what is committed is what would be generated from that server.
pub(crate) fn check(workspace: &Workspace, log: &mut Log, kube: &RealKube) -> Result<String> {
    current(workspace, &builtins(workspace, log, kube)?)
}

/// Does it.
pub(crate) fn run(workspace: &Workspace, log: &mut Log, what: &Generate) -> Result<String> {
    let Generate::Builtins(args) = what;
    let scratch = Scratch::new("builtins")?;
    let options = Options { quick: true, ..Options::default() };
    let kube = RealKube::start_with(&binaries(workspace, log)?, &scratch.path().join("kube"), &options)?;
    let files = builtins(workspace, log, &kube)?;
    if args.check {
        return current(workspace, &files);
    }
    let dir = workspace.root().join(DATA);
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    for (name, text) in &files {
        fs::write(dir.join(name), text).with_context(|| format!("cannot write {DATA}/{name}"))?;
        log.line(format!("{DATA}/{name}: {} KiB", text.len() / 1024));
    }
    Ok(format!("{} files written", files.len()))
}

/// Whether the files are as they are committed.
fn current(workspace: &Workspace, files: &Files) -> Result<String> {
    let dir = workspace.root().join(DATA);
    let stale: Vec<_> = files
        .iter()
        .filter(|(name, text)| fs::read_to_string(dir.join(name)).ok().as_ref() != Some(text))
        .map(|(name, _)| format!("{DATA}/{name}"))
        .collect();
    ensure!(
        stale.is_empty(),
        "not current: {}; `cargo xtask generate builtins` writes them",
        stale.join(", ")
    );
    Ok(format!("{DATA} is current"))
}

/// Files by their names.
type Files = BTreeMap<&'static str, String>;

fn builtins(workspace: &Workspace, log: &mut Log, kube: &RealKube) -> Result<Files> {
    let pins = Pins::of(workspace)?;
    let get = |path: &str| -> Result<Value> {
        serde_json::from_slice(&kube.get(path)?).with_context(|| format!("{path} is not JSON"))
    };
    let version = get("/version")?;
    let kubernetes = version["gitVersion"].as_str().unwrap_or_default().to_owned();
    ensure!(kubernetes == pins.kubernetes, "the server says that it is {kubernetes}");
    let groups = resources::groups(&get)?;
    let resources = resources::resources(&groups, &get)?;
    let definitions = definitions::all(&get)?;

    let go = Go::find(log)?;
    let mut sources = messages::Sources::default();
    for (module, below) in MODULES {
        sources.read(&go.module_dir(&pins.module("kube"), module)?, below)?;
    }
    let messages = messages::all(&sources, &definitions)?;
    let counts = format!(
        "{} groups, {} resources, {} definitions, {} messages",
        groups.len(),
        resources.len(),
        definitions.len(),
        messages.len()
    );
    log.line(counts);
    let kubernetes = json!(kubernetes);
    let builtins = [
        ("kubernetes", render::Part::One(kubernetes.clone())),
        ("groups", render::Part::List(groups)),
        ("resources", render::Part::List(resources)),
        ("definitions", render::Part::Map(definitions)),
    ];
    let messages = [("kubernetes", render::Part::One(kubernetes)), ("messages", render::Part::Map(messages))];
    Ok(BTreeMap::from([
        ("builtins.json", render::document(&builtins)),
        ("messages.json", render::document(&messages)),
        ("NOTICE", notice(&pins)),
    ]))
}

fn notice(pins: &Pins) -> String {
    format!(
        "builtins.json and messages.json are derived from Kubernetes {version}\n\
         (https://github.com/kubernetes/kubernetes): from what its kube-apiserver serves as discovery and\n\
         OpenAPI, and from the generated.proto files and Go types of k8s.io/api, k8s.io/apimachinery,\n\
         k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator.\n\
         \n\
         Copyright The Kubernetes Authors.\n\
         Licensed under the Apache License, Version 2.0, the text of which is in LICENSE at the root of this\n\
         repository.\n\
         \n\
         They were changed: the parts that a server needs were put into tables. Generated by\n\
         `cargo xtask generate builtins`; do not edit.\n",
        version = pins.kubernetes
    )
}

/// All files below a directory whose names end like this, in order.
fn files_ending(dir: &Path, end: &str, found: &mut Vec<std::path::PathBuf>) -> Result<()> {
    let entries = fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut paths: Vec<_> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files_ending(&path, end, found)?;
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    Ok(())
}
