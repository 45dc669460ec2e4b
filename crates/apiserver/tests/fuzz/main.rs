//! Every parser of the hub on input that is nearly good. It says what is wrong, and neither panics nor takes long.
//!
//! Requests go through the whole hub, without a socket: what one parser lets through meets the next. There is no sanitizer and no
//! coverage, which need another compiler; seeds say where to begin. `cargo xtask fuzz` runs it for longer.

mod mutate;
mod targets;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bowline_apiserver::{Config, Server, Service, User};
use bytes::Bytes;
use http_body::Body as _;
use http_body_util::{BodyExt, Full};

use mutate::{Dice, mutated};
use targets::{TARGETS, Target};

/// How long to go on with a target; without it, a fixed number of inputs.
const SECONDS: &str = "BOWLINE_FUZZ_SECONDS";
/// Which target; without it, all.
const TARGET: &str = "BOWLINE_FUZZ_TARGET";
/// Where to begin; without it, at a fixed one, and then at another each time.
const SEED: &str = "BOWLINE_FUZZ_SEED";

/// Inputs of each target in an ordinary run, at a fixed seed and at another.
const INPUTS: usize = 500;
/// No answer takes longer, also on a machine that is slow, busy, and waits for its disk.
const PATIENCE: Duration = Duration::from_secs(60);

/// The last input is kept in a file while it is tried: what overflows the stack ends the process.
fn note(target: &str) -> PathBuf {
    std::env::temp_dir().join(format!("bowline-fuzz-{target}-{}", std::process::id()))
}

struct Fuzzer {
    service: Service,
    stranger: Service,
}

impl Fuzzer {
    /// Tries an input.
    async fn tries(&self, target: &Target, input: &[u8]) -> Result<(), String> {
        let start = Instant::now();
        let wrong = match (target.request)(input) {
            None => (target.check)(input).err(),
            Some(request) => {
                let service = if target.as_stranger { &self.stranger } else { &self.service };
                let reply = service.answer(request.map(|body| Full::new(Bytes::from(body)))).await;
                let code = reply.status();
                let body = reply.into_body();
                // A watch goes on for ever, and has no size: that it began is enough.
                let text = match body.size_hint().exact() {
                    None => String::new(),
                    Some(_) => {
                        let bytes = body.collect().await.expect("a body").to_bytes();
                        String::from_utf8_lossy(&bytes).into_owned()
                    }
                };
                text.contains("caused the hub to panic").then(|| format!("{code}: {text}"))
            }
        };
        match wrong {
            Some(wrong) => Err(wrong),
            None if start.elapsed() > PATIENCE => Err(format!("it took {:?}", start.elapsed())),
            None => Ok(()),
        }
    }

    /// Tries inputs of a target, from a seed on.
    async fn run(&self, target: &Target, seed: u64, end: Option<Instant>) -> (usize, Duration) {
        let seeds: Vec<Vec<u8>> = (target.seeds)();
        let note = note(target.name);
        let (mut tried, mut slowest) = (0, Duration::ZERO);
        let mut dice = Dice(seed);
        // The seeds themselves come first.
        for input in &seeds {
            self.tries(target, input).await.unwrap_or_else(|wrong| panic!("{}: {wrong}", target.name));
        }
        while end.map_or(tried < INPUTS, |end| Instant::now() < end) {
            let input = mutated(&seeds, &mut dice);
            std::fs::write(&note, &input).expect("it can be noted");
            let start = Instant::now();
            if let Err(wrong) = self.tries(target, &input).await {
                let shown = input.escape_ascii();
                panic!("{} from seed {seed} on, input {tried}: {wrong}\n{shown}", target.name);
            }
            tried += 1;
            slowest = slowest.max(start.elapsed());
        }
        // What was fine is not kept.
        let _ = std::fs::remove_file(&note);
        (tried, slowest)
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_nearly_good_is_answered() {
    let directory = std::env::temp_dir().join(format!("bowline-fuzz-{}", std::process::id()));
    let config = Config { audit: None, ..Config::local(&directory) };
    let server = Server::start_with(config).await.expect("it starts");
    let root = User { name: "root".into(), groups: vec!["system:masters".into()], ..User::default() };
    let fuzzer = Fuzzer { service: server.service().as_user(root), stranger: server.service() };
    targets::furnish(&fuzzer.service).await;
    let only = std::env::var(TARGET).ok();
    let chosen: Vec<_> =
        TARGETS.iter().filter(|target| only.as_ref().is_none_or(|only| only == target.name)).collect();
    let known = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    assert!(!chosen.is_empty(), "there is no such target; there are: {}", known());
    let random = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("it is later")
        .subsec_nanos();
    for target in chosen {
        let start = Instant::now();
        let seed = number(SEED).unwrap_or(u64::from(random));
        let (tried, slowest) = match number(SECONDS) {
            Some(seconds) => fuzzer.run(target, seed, Some(start + Duration::from_secs(seconds))).await,
            None => {
                let (fixed, random) =
                    (fuzzer.run(target, 1, None).await, fuzzer.run(target, seed, None).await);
                (fixed.0 + random.0, fixed.1.max(random.1))
            }
        };
        let took = start.elapsed();
        println!(
            "{}: {tried} inputs in {took:.1?}, the slowest in {slowest:.1?}; last from seed {seed} on",
            target.name
        );
    }
    server.stop().await;
    let _ = std::fs::remove_dir_all(&directory);
}
