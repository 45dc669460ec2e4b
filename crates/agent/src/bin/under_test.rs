//! What the tests run: the roles of the binary, and an agent that does no more than keep its software alive.
//!
//! `agent ROLE …` plays a role; `renew DIRECTORY LEASE_MS COMMAND ARGS…` starts the command and lets it run for a lease from
//! now, again and again, as an agent does that is on good terms with its hub; `run COMMAND ARGS…` runs a command that has all
//! the time in the world.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use bowline_agent::{Boottime, Command, Env, Fence, Home, Launch, Limits, Local, Software, play};

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_some_and(|first| first == "agent") {
        return play(&args[1..]).unwrap_or(ExitCode::FAILURE);
    }
    let args: Vec<String> = args.into_iter().filter_map(|arg| arg.into_string().ok()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match (args.as_slice(), runtime) {
        ([renew, directory, lease, command, args @ ..], Ok(runtime)) if renew == "renew" => {
            let why = runtime.block_on(renewing(Path::new(directory), lease, command, args));
            eprintln!("{why}");
            ExitCode::FAILURE
        }
        ([run, command, args @ ..], Ok(runtime)) if run == "run" => {
            let (command, args) = (command.clone(), args.to_vec());
            let timeout = Duration::from_secs(3600);
            let command = Command { command, args, env: Env::default(), directory: None, timeout };
            runtime.block_on(command.run()).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }
        _ => ExitCode::FAILURE,
    }
}

/// Why it does not go on.
async fn renewing(directory: &Path, lease: &str, command: &str, args: &[String]) -> String {
    let home = match Home::at(directory) {
        Ok(home) => home,
        Err(error) => return error.to_string(),
    };
    let Ok(lease) = lease.parse().map(Duration::from_millis) else { return "no lease".to_owned() };
    let software = Local::new(home, Limits::default());
    let launch = Launch {
        version: "v1".to_owned(),
        command: command.to_owned(),
        args: args.to_vec(),
        env: Env::default(),
        directory: None,
        grace_ms: 120_000,
        log: Limits::default(),
    };
    let mut order = match software.look().await {
        Ok(status) => status.fence.order,
        Err(error) => return error.to_string(),
    };
    loop {
        order += 1;
        let fence = Fence { order, deadline: Some(Boottime::now().after(lease)) };
        if let Err(error) = software.start(launch.clone(), fence).await {
            return error.to_string();
        }
        tokio::time::sleep(lease / 5).await;
    }
}
