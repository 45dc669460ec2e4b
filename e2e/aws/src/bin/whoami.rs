//! Asks AWS who it takes us for, with the settings that are found as AWS's tools find them: for the tests of that.

use std::process::ExitCode;

use bowline_aws::{Client, Iam, Settings};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    let endpoint = std::env::args().nth(1);
    let client = match Client::connect(&Settings { endpoint, ..Settings::default() }).await {
        Ok(client) => client,
        Err(unset) => {
            println!("unset: {unset}");
            return ExitCode::FAILURE;
        }
    };
    match client.get_caller_identity().await {
        Ok(caller) => {
            println!("{}", caller.arn);
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{:?}: {error}", error.kind);
            ExitCode::FAILURE
        }
    }
}
