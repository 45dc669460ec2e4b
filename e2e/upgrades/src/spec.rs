//! A group of the software of `e2e/kv`.

use std::path::Path;

use bowline_e2e_kv::node::program;
use serde_json::{Value, json};

/// The port that every node's software listens on, at an address of its own.
pub const PORT: u16 = 21080;

/// What a group is to be.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its versions, each with what is wrong with it: arguments of `kv`.
    pub versions: Vec<(&'static str, String)>,
    /// Its devices.
    pub devices: Vec<String>,
    /// How many members each of its two partitions has; none, if it has no partitions.
    pub partitions: Option<u32>,
    /// What else is said of it.
    pub more: Value,
}

impl Group {
    /// The usual one: v1 and v2 without a fault, four devices, partitions of three.
    pub fn new(name: &str) -> Group {
        Group {
            name: name.to_owned(),
            versions: vec![("v1", String::new()), ("v2", String::new())],
            devices: (0..4).map(|number| format!("{name}-{number}")).collect(),
            partitions: Some(3),
            more: json!({}),
        }
    }

    /// With this wrong with a version.
    #[must_use]
    pub fn flaw(mut self, version: &str, args: &str) -> Group {
        for (name, flaws) in &mut self.versions {
            if *name == version {
                args.clone_into(flaws);
            }
        }
        self
    }

    /// With this in its spec.
    #[must_use]
    pub fn with(mut self, more: &Value) -> Group {
        self.more = merged(self.more, more);
        self
    }

    /// The object.
    pub fn object(&self, devices: &Path) -> Value {
        let versions: Vec<_> =
            self.versions.iter().map(|(name, flaws)| version(name, flaws, devices)).collect();
        let mut spec = json!({ "versions": versions, "version": "v1", "devices": self.devices });
        if let Some(size) = self.partitions {
            spec["partitions"] = json!({ "count": 2, "size": size });
        }
        let spec = merged(spec, &self.more);
        json!({
            "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup", "metadata": { "name": self.name }, "spec": spec,
        })
    }
}

/// A group of software that is a shell script, for what is about the agent and not about what is served. Each version has a script and
/// what else is said of it.
pub fn scripted(name: &str, versions: &[(&str, &str, Value)], more: &Value) -> Value {
    let version = |(name, script, more): &(&str, &str, Value)| {
        merged(json!({ "name": name, "command": ["sh", "-c", script] }), more)
    };
    let versions: Vec<_> = versions.iter().map(version).collect();
    let spec = merged(json!({ "versions": versions, "version": "v1" }), more);
    json!({ "apiVersion": "bowline.dev/v1alpha1", "kind": "NodeGroup", "metadata": { "name": name }, "spec": spec })
}

fn merged(mut object: Value, more: &Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more.clone());
    }
    object
}

fn version(name: &str, flaws: &str, devices: &Path) -> Value {
    let kv = program().display();
    let at = format!("$BOWLINE_ADDRESS:{PORT}");
    let serve = format!("exec {kv} --listen {at} --devices {} --as {name} {flaws}", devices.display());
    json!({
        "name": name,
        "command": ["sh", "-c", serve],
        "probe": { "http": { "port": PORT, "path": "/healthz" }, "periodSeconds": 1, "failureThreshold": 2 },
        "drain": ["sh", "-c", format!("exec {kv} drain --at {at}")],
        "gracePeriodSeconds": 5,
        "notify": { "port": PORT, "path": "/duties" },
    })
}
