//! One run of the explorer on a seed: `bowline-bench MODEL SIZE THREADS STORAGE CHECK`.
//!
//! A process of its own, so that wall time, CPU time and peak memory can be measured from outside, as those
//! of the other checkers are. It prints the number of distinct states, which must be the same for all.

mod arguments;
mod counting;

use std::process::ExitCode;

use arguments::{Arguments, Check};
use bowline_explorer::{End, Model, Options, Report, check};
use bowline_models::{Visitor, visit_seed};
use counting::Counting;

fn main() -> ExitCode {
    match run() {
        Ok(distinct) => {
            println!("{distinct}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<u64, String> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let report = visit_seed(&arguments.model, &arguments.size, &arguments);
    let report = report.map_err(|error| error.to_string())?;
    let report = report.ok_or_else(|| format!("there is no seed `{}`", arguments.model))??;
    match report.end {
        End::Complete => Ok(report.distinct),
        end => Err(format!("the run is not complete: {end:?}")),
    }
}

impl Visitor for &Arguments {
    type Out = Result<Report, String>;

    fn visit<M: Model + Send + 'static>(self, model: M) -> Result<Report, String> {
        let options = Options { threads: self.threads, storage: self.storage, ..Options::default() };
        let report = match self.check {
            Check::One => check(&Counting(model), &options),
            Check::All => check(&model, &options),
            Check::Safety => {
                let properties = model.properties();
                let safety = properties.iter().filter(|property| !property.kind().is_liveness());
                let names: Vec<String> = safety.map(|property| property.name().to_string()).collect();
                check(&model, &Options { properties: Some(&names), ..options })
            }
        };
        report.map_err(|refused| refused.to_string())
    }
}
