//! A seed in stateright 0.31.

#[path = "../adapter.rs"]
mod adapter;

use stateright_0_31 as stateright;

fn main() -> std::process::ExitCode {
    adapter::main()
}
