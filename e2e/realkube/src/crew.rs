//! Who works on a server: its controllers, its scheduler, and the nodes that kwok plays.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use crate::client::Client;
use crate::error::{Context, Error};
use crate::programs::{Programs, listens};
use crate::{PROGRAMS, flags, nodes, ports};

/// kwok's stages for Pods.
const STAGES: &str = include_str!("../../../testbed/kwok-pods.yaml");

/// Starts kube-controller-manager.
pub(crate) fn controllers(programs: &mut Programs, quick: bool) -> Result<(), Error> {
    let [port] = ports::free();
    programs.launch(PROGRAMS[2], &flags::controllers(programs.dir(), port, quick))?;
    programs.wait(PROGRAMS[2], 60, || listens(port))
}

/// Starts kube-scheduler.
pub(crate) fn scheduler(programs: &mut Programs) -> Result<(), Error> {
    let [port] = ports::free();
    programs.launch(PROGRAMS[3], &flags::scheduler(programs.dir(), port))?;
    programs.wait(PROGRAMS[3], 60, || listens(port))
}

/// Starts kwok, and waits until its node is ready.
pub(crate) fn kwok(programs: &mut Programs, client: &Client) -> Result<(), Error> {
    let stages = programs.dir().join("kwok-pods.yaml");
    fs::write(&stages, STAGES).context(|| format!("write {}", stages.display()))?;
    let [port] = ports::free();
    programs.launch(PROGRAMS[4], &flags::kwok(programs.dir(), port))?;
    programs.wait(PROGRAMS[4], 60, || plain_ok(port, "/healthz"))?;
    nodes::make(client, || programs.log_tail(PROGRAMS[4]))
}

/// The health of those that speak without TLS.
pub(crate) fn plain_ok(port: u16, path: &str) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        socket.set_read_timeout(Some(Duration::from_secs(2)))?;
        write!(socket, "GET {path} HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|answer| answer.split(' ').nth(1) == Some("200"))
}
