//! What a shim hears, on input that is nearly good.

use bowline_agent::{Boottime, Env, Fence, Launch, Limits, Reason, Request};
use bowline_fuzz::{Target, same};

/// Inputs of the target in an ordinary run, at a fixed seed and at another.
const INPUTS: usize = 5000;

#[test]
fn what_is_nearly_a_request_is_read_or_refused() {
    let fence = Fence { order: 3, deadline: Some(Boottime(70_000)) };
    let launch = Launch {
        version: "v1".into(),
        command: "/usr/bin/kv".into(),
        args: vec!["--port".into(), "7000".into()],
        env: Env::from([("BOWLINE_MEMBER", "n1"), ("TOKEN", "s3kr1t")]),
        directory: Some("/var/lib/kv".into()),
        grace_ms: 10_000,
        log: Limits::default(),
    };
    let requests = [
        Request::Status,
        Request::Wait { change: 7, within_ms: 1_000 },
        Request::Start { launch, fence },
        Request::Extend { fence: Fence { deadline: None, ..fence } },
        Request::Stop { grace_ms: 30_000 },
        Request::Kill,
        Request::End,
    ];
    let seeds = requests.map(|request| serde_json::to_vec(&request).expect("JSON"));
    bowline_fuzz::run(&[Target::new("shim", seeds, check)], INPUTS);
}

fn check(input: &[u8]) -> Result<(), String> {
    match Request::parse(input) {
        Ok(request) => {
            let printed = serde_json::to_string(&request).map_err(|error| error.to_string())?;
            same(request, &printed, Request::parse(printed.as_bytes()).ok())
        }
        Err(refusal) if refusal.reason != Reason::Bad => Err(format!("{refusal:?}")),
        Err(refusal) if refusal.message.contains("s3kr1t") => Err(format!("it tells a value: {refusal}")),
        Err(_) => Ok(()),
    }
}
