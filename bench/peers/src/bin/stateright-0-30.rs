//! A seed in stateright 0.30.

#[path = "../adapter.rs"]
mod adapter;

use stateright_0_30 as stateright;

fn main() -> std::process::ExitCode {
    adapter::main()
}
