//! A version of a software: how it is started, looked after and stopped.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::VersionName;

/// A version of the software.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "self == oldSelf",
    "message": "a version that was declared stays as it is: declare another one; or, while no member has it, take it out first and put it back then"
}]))]
pub struct Software {
    /// Its name.
    pub name: VersionName,
    /// The program, and its first arguments.
    #[schemars(
        length(min = 1, max = 64),
        inner(length(max = 4096)),
        extend("x-kubernetes-list-type" = "atomic")
    )]
    pub command: Vec<String>,
    /// More arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256), inner(length(max = 4096)), extend("x-kubernetes-list-type" = "atomic"))]
    pub args: Vec<String>,
    /// Its environment, on top of the agent's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 256),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub env: Vec<EnvironmentVariable>,
    /// How to find out whether it is well. Without it, a process that runs is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
    /// The program that is run, to its end, before it is stopped, so that it can let go of its work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64), inner(length(max = 4096)), extend("x-kubernetes-list-type" = "atomic"))]
    pub drain: Vec<String>,
    /// How long it may take to end after SIGTERM, and to drain, before it is killed.
    #[serde(default = "grace_period_seconds")]
    #[schemars(range(max = 3600))]
    pub grace_period_seconds: u32,
    /// Who is told when the node's duties have changed, beside the file with them. Without it nobody is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notify: Option<Notify>,
}

fn grace_period_seconds() -> u32 {
    30
}

impl Default for Software {
    fn default() -> Software {
        Software {
            name: VersionName::default(),
            command: Vec::new(),
            args: Vec::new(),
            env: Vec::new(),
            probe: None,
            drain: Vec::new(),
            grace_period_seconds: grace_period_seconds(),
            notify: None,
        }
    }
}

/// Who is told of a node's duties: by a POST with what also stands in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Notify {
    /// The port, on the node's own loopback.
    #[schemars(range(min = 1, max = 65535))]
    pub port: u16,
    /// The path.
    #[serde(default = "root")]
    #[schemars(length(max = 2048), extend("pattern" = "^/"))]
    pub path: String,
}

impl Default for Notify {
    fn default() -> Notify {
        Notify { port: 0, path: root() }
    }
}

/// A variable of the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct EnvironmentVariable {
    /// Its name.
    #[schemars(length(min = 1, max = 256), extend("pattern" = "^[A-Za-z_][A-Za-z0-9_]*$"))]
    pub name: String,
    /// Its value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32768))]
    pub value: String,
}

/// How to find out whether a node is well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(inline, extend("x-kubernetes-validations" = [{
    "rule": "(has(self.http) ? 1 : 0) + (has(self.tcp) ? 1 : 0) + (has(self.exec) ? 1 : 0) == 1",
    "message": "a probe is one of http, tcp and exec"
}]))]
pub struct Probe {
    /// Well is whoever answers a GET with a status from 200 to 399.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpProbe>,
    /// Well is whoever accepts a connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpProbe>,
    /// Well is who lets this program end with 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec: Option<ExecProbe>,
    /// How long to wait after a start before the first time.
    #[schemars(range(max = 3600))]
    pub initial_delay_seconds: u32,
    /// How often to ask.
    #[schemars(range(min = 1, max = 3600))]
    pub period_seconds: u32,
    /// How long to wait for an answer.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u32,
    /// After how many good answers in a row it is well.
    #[schemars(range(min = 1, max = 100))]
    pub success_threshold: u32,
    /// After how many failures in a row it is not well.
    #[schemars(range(min = 1, max = 100))]
    pub failure_threshold: u32,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe {
            http: None,
            tcp: None,
            exec: None,
            initial_delay_seconds: 0,
            period_seconds: 5,
            timeout_seconds: 2,
            success_threshold: 1,
            failure_threshold: 3,
        }
    }
}

/// A GET.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct HttpProbe {
    /// The port, on the node's own loopback.
    #[schemars(range(min = 1, max = 65535))]
    pub port: u16,
    /// The path.
    #[serde(default = "root")]
    #[schemars(length(max = 2048), extend("pattern" = "^/"))]
    pub path: String,
}

impl Default for HttpProbe {
    fn default() -> HttpProbe {
        HttpProbe { port: 0, path: root() }
    }
}

fn root() -> String {
    "/".to_owned()
}

/// A connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct TcpProbe {
    /// The port, on the node's own loopback.
    #[schemars(range(min = 1, max = 65535))]
    pub port: u16,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct ExecProbe {
    /// The program and its arguments.
    #[schemars(
        length(min = 1, max = 64),
        inner(length(max = 4096)),
        extend("x-kubernetes-list-type" = "atomic")
    )]
    pub command: Vec<String>,
}
