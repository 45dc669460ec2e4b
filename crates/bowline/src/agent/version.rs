//! A version of the software as its group declares it, in the words of the hands.

use std::net::IpAddr;
use std::time::Duration;

use bowline_agent::{Check, Command, Duties, Env, Home, Launch, Limits, Notify, Probe, Timing};
use bowline_api::upgrades::{Probe as Declared, Software};

/// The variable with the address that the software of a node is asked and told at.
const ADDRESS: &str = "BOWLINE_ADDRESS";
/// How long the software may take to answer that it has heard its duties.
const HEARING: Duration = Duration::from_secs(2);

/// Where software runs, and as what.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) home: Home,
    pub(super) group: String,
    pub(super) member: String,
    pub(super) address: IpAddr,
}

impl Place {
    /// What is declared, and who it is. That is not for anybody to say otherwise.
    fn env(&self, software: &Software) -> Env {
        let mut env: Env = Env::default();
        env.0.extend(software.env.iter().map(|variable| (variable.name.clone(), variable.value.clone())));
        env.0.extend(Duties::env(&self.home, &self.group, &self.member, software.name.as_str()).0);
        env.0.insert(ADDRESS.to_owned(), self.address.to_string());
        env
    }

    /// How a version is started.
    pub(super) fn launch(&self, software: &Software) -> Launch {
        let (command, first) = split(&software.command);
        Launch {
            version: software.name.to_string(),
            command,
            args: [first, software.args.clone()].concat(),
            env: self.env(software),
            directory: None,
            grace_ms: u64::from(software.grace_period_seconds) * 1_000,
            log: Limits::default(),
        }
    }

    /// What drains it, if anything does.
    pub(super) fn drain(&self, software: &Software) -> Option<Command> {
        if software.drain.is_empty() {
            return None;
        }
        let (command, args) = split(&software.drain);
        Some(Command { command, args, env: self.env(software), directory: None, timeout: grace(software) })
    }

    /// How it is asked whether it works; `None` if it does as long as it runs.
    pub(super) fn probe(&self, software: &Software) -> Option<Probe> {
        let declared = software.probe.as_ref()?;
        let host = Some(self.address.to_string());
        let check = match declared {
            Declared { http: Some(http), .. } => {
                Check::Http { host, port: http.port, path: http.path.clone(), headers: Vec::new() }
            }
            Declared { tcp: Some(tcp), .. } => Check::Tcp { host, port: tcp.port },
            Declared { exec: Some(exec), .. } => {
                let (command, args) = split(&exec.command);
                Check::Exec { command, args, env: self.env(software) }
            }
            // The server has let nothing else in.
            Declared { http: None, tcp: None, exec: None, .. } => return None,
        };
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        let timing = Timing {
            initial_delay: seconds(declared.initial_delay_seconds),
            period: seconds(declared.period_seconds),
            timeout: seconds(declared.timeout_seconds),
            failure_threshold: declared.failure_threshold,
            success_threshold: declared.success_threshold,
        };
        Some(Probe { check, timing })
    }

    /// Where it wants to be told, if it does.
    pub(super) fn notify(&self, software: &Software) -> Result<Option<Notify>, String> {
        let Some(declared) = &software.notify else { return Ok(None) };
        let host = match self.address {
            IpAddr::V4(four) => four.to_string(),
            IpAddr::V6(six) => format!("[{six}]"),
        };
        Notify::at(&format!("http://{host}:{}{}", declared.port, declared.path), HEARING).map(Some)
    }
}

/// How long it may take to end, and to let go.
pub(super) fn grace(software: &Software) -> Duration {
    Duration::from_secs(software.grace_period_seconds.into())
}

/// A program and its arguments. The server lets in no command that is empty.
fn split(words: &[String]) -> (String, Vec<String>) {
    let mut words = words.iter().cloned();
    (words.next().unwrap_or_default(), words.collect())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    fn place(address: &str) -> Place {
        Place {
            home: Home::of(Path::new("/d"), "kv-n1").expect("a home"),
            group: "kv".into(),
            member: "n1".into(),
            address: address.parse().expect("an address"),
        }
    }

    fn software(value: Value) -> Software {
        serde_json::from_value(value).expect("a version")
    }

    #[test]
    fn a_version_is_started_as_it_is_declared_and_knows_who_it_is() {
        let declared = software(json!({
            "name": "v1", "command": ["kv", "serve"], "args": ["--fast"], "gracePeriodSeconds": 7,
            "env": [{ "name": "A", "value": "b" }, { "name": "BOWLINE_MEMBER", "value": "another" }],
            "drain": ["kv", "drain"],
        }));
        let launch = place("127.0.0.2").launch(&declared);
        assert_eq!(
            (launch.command.as_str(), launch.args.as_slice(), launch.grace_ms),
            ("kv", ["serve".to_owned(), "--fast".into()].as_slice(), 7_000)
        );
        let of = |name: &str| launch.env.0.get(name).map(String::as_str);
        assert_eq!(
            (of("A"), of("BOWLINE_MEMBER"), of("BOWLINE_VERSION")),
            (Some("b"), Some("n1"), Some("v1"))
        );
        assert_eq!(
            (of("BOWLINE_ADDRESS"), of("BOWLINE_DUTIES")),
            (Some("127.0.0.2"), Some("/d/kv-n1/duties.json"))
        );
        let drain = place("127.0.0.2").drain(&declared).expect("it is drained");
        assert_eq!(
            (drain.command.as_str(), drain.args, drain.timeout),
            ("kv", vec!["drain".to_owned()], Duration::from_secs(7))
        );
        let plain = software(json!({ "name": "v1", "command": ["kv"] }));
        assert!(place("127.0.0.1").drain(&plain).is_none() && place("127.0.0.1").probe(&plain).is_none());
        assert_eq!(place("127.0.0.1").notify(&plain), Ok(None));
    }

    #[test]
    fn probes_and_letters_go_to_the_address_of_the_node() {
        let of = |probe: Value| {
            let declared = software(
                json!({ "name": "v1", "command": ["kv"], "probe": probe, "notify": { "port": 80, "path": "/d" } }),
            );
            (place("10.0.0.7").probe(&declared).map(|probe| probe.check), place("::1").notify(&declared))
        };
        let (http, notify) = of(json!({ "http": { "port": 8080, "path": "/healthz" } }));
        let expected = Check::Http {
            host: Some("10.0.0.7".into()),
            port: 8080,
            path: "/healthz".into(),
            headers: Vec::new(),
        };
        assert_eq!(http, Some(expected));
        assert_eq!(notify, Notify::at("http://[::1]:80/d", HEARING).map(Some));
        assert_eq!(
            of(json!({ "tcp": { "port": 1 } })).0,
            Some(Check::Tcp { host: Some("10.0.0.7".into()), port: 1 })
        );
        assert!(matches!(of(json!({ "exec": { "command": ["x"] } })).0, Some(Check::Exec { .. })));
        assert_eq!(Ipv6Addr::LOCALHOST.to_string(), "::1");
    }
}
