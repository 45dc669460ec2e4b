//! What can be typed: the definitions from which help, completion and man pages are made.

mod agent;
mod audit;
mod backup;
mod cloud;
mod cluster;
mod demo;
mod identity;
mod join;
mod place;
mod up;
mod update;
mod upgrade;
mod view;

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context;
use clap::{ArgGroup, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};
use clap_complete::Shell;

use self::agent::AgentArgs;
use self::backup::{BackupArgs, RestoreArgs};
use self::cluster::ClusterArgs;
use self::demo::DemoArgs;
use self::identity::IdentityArgs;
use self::join::JoinArgs;
use self::place::PlaceArgs;
use self::up::{ControllersArgs, HubArgs, UpArgs};
use self::update::UpdateArgs;
use self::upgrade::UpgradeArgs;
use crate::check::trace_file::TraceFile;
use crate::connection::Wanted;
use crate::exit::Exit;
use crate::memory::Memory;
use crate::output::Format;
use crate::whole::whole;
use crate::{check, controllers, crds, generate};

/// A fleet control plane whose protocols are checked before they run.
#[derive(Parser)]
#[command(name = "bowline", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  bowline demo                         a tour of all of it, on this machine
  bowline up                           run the hub and the controllers
  bowline cluster add toy --embedded   a cluster to try things on
  bowline update submit ./app --cluster toy --wait
                                       put what a directory says onto it
  bowline check --list                 what models there are
  bowline check seed/update-cluster    explore one and judge its properties
  bowline completion bash              completion for a shell";

#[derive(Subcommand)]
enum Command {
    Up(UpArgs),
    Hub(HubArgs),
    Controllers(ControllersArgs),
    Cluster(ClusterArgs),
    Update(UpdateArgs),
    Upgrade(UpgradeArgs),
    Identity(IdentityArgs),
    Place(PlaceArgs),
    Join(JoinArgs),
    Agent(AgentArgs),
    Backup(BackupArgs),
    Restore(RestoreArgs),
    Demo(DemoArgs),
    Crds(CrdsArgs),
    Check(CheckArgs),
    Completion(CompletionArgs),
    Man(ManArgs),
}

/// Which server is meant.
#[derive(Args)]
struct Server {
    /// The kubeconfig of the server [default: $KUBECONFIG, else that of a hub that was started here,
    /// else, in a pod, what Kubernetes gave it]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,

    /// The context in it [default: its current one]
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    context: Option<String>,
}

impl Server {
    fn wanted(self) -> Wanted {
        Wanted { kubeconfig: self.kubeconfig, context: self.context }
    }
}

const CRDS_EXAMPLES: &str = "\
Examples:
  bowline crds | kubectl apply -f -
  bowline crds --with-roles | kubectl apply -f -
  bowline crds --with-roles --with-deployment --image registry.example/bowline:0.1.0 | kubectl apply -f -
  bowline crds -o json | jq -r '.items[].metadata.name'
  bowline crds -o markdown > fields.md

Exit codes:
  0  they are printed
  2  bad usage";

/// Print the definitions of Bowline's kinds, and what runs its controllers, for `kubectl apply -f -`
///
/// Definitions are CustomResourceDefinitions, always the same for one version of bowline and in the same order. `kubectl get
/// bowline` then lists all objects, and `kubectl explain stack.spec` says what a field is for.
#[derive(Args)]
#[command(after_help = CRDS_EXAMPLES)]
struct CrdsArgs {
    /// How to print them: YAML documents, one JSON list, or a page with every field
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = crds::Form::Yaml)]
    output: crds::Form,

    /// Print the ClusterRoles for teams too
    ///
    /// bowline-view, bowline-edit and bowline-admin are added to the roles view, edit and admin that a cluster has:
    /// whoever has one of these in a namespace may then read or write Bowline's objects there. It is a choice of its own
    /// because it widens what people may do already.
    #[arg(long)]
    with_roles: bool,

    /// Print what runs the controllers on a Kubernetes, too
    ///
    /// The namespace bowline-system, a ServiceAccount with the rights that the controllers need and no others, and a Deployment of two
    /// pods, of which one leads.
    #[arg(long)]
    with_deployment: bool,

    /// The image of these pods, which is yours to build: it has the binary `bowline` in its path
    #[arg(long, value_name = "IMAGE", requires = "with_deployment", value_hint = ValueHint::Other,
          default_value = concat!("bowline:", env!("CARGO_PKG_VERSION")))]
    image: String,
}

impl CrdsArgs {
    fn run(&self) -> anyhow::Result<Exit> {
        crds::run(self.output, self.with_roles, self.with_deployment.then_some(&*self.image))
    }
}

const CHECK_EXAMPLES: &str = "\
Examples:
  bowline check --list
  bowline check seed/update-cluster --size requests=4,workers=8
  bowline check seed/kcp-storage --size clusters=3 --property UsableByAtMostOne --trace why.svg
  bowline check seed/update-cluster --size requests=8,workers=8 --walks 1000 --seed 7
  bowline check control --faults crash=1,lost-reply=1
  bowline check control --faults pairs
  bowline check seed/irsa -o json
  bowline check --expected
  bowline check updates --expected

Exit codes:
  0  every property holds or is reached (--expected: all is as expected)
  1  a property is violated or unreached, or the model panicked (--expected: something differs)
  2  bad usage or bad input
  3  INCOMPLETE: stopped, out of budget, or a random walk; and nothing was violated";

/// The options that make sense for one run of one model.
const ONE_RUN: [&str; 11] = [
    "size",
    "faults",
    "property",
    "max_states",
    "max_memory",
    "fingerprint",
    "symmetry",
    "walks",
    "walk_steps",
    "seed",
    "trace",
];

/// Explore every state of a model and judge its properties
///
/// The search is breadth-first, so that the counterexample of a safety property is a shortest one.
/// Liveness properties are judged under the model's weak fairness; their counterexample is a lasso:
/// a way to a cycle, and the cycle. Counts, verdicts and traces do not depend on the number of
/// threads.
///
/// Ctrl-C ends the search and prints what was found so far; a second Ctrl-C ends at once.
#[derive(Args)]
#[command(after_help = CHECK_EXAMPLES)]
#[command(group(ArgGroup::new("what").required(true).multiple(true).args(["model", "list", "expected"])))]
pub(crate) struct CheckArgs {
    /// The model to explore
    #[arg(value_name = "MODEL", value_parser = check::ModelName)]
    pub(crate) model: Option<String>,

    /// List the models, their sizes and their properties
    #[arg(long, conflicts_with_all = ONE_RUN, conflicts_with_all = ["threads", "model", "expected"])]
    pub(crate) list: bool,

    /// Run the model, or the whole catalogue, at its pinned sizes and compare with the pinned results
    ///
    /// Verdicts, counts, depths and lengths of traces are compared. The known violations of a seed
    /// are expected there.
    #[arg(long, conflicts_with_all = ONE_RUN)]
    pub(crate) expected: bool,

    /// The size of the model; what is left out has its default (see --list)
    #[arg(long, value_name = "KEY=VALUE,...", value_hint = ValueHint::Other)]
    pub(crate) size: Option<String>,

    /// What goes wrong: budgets such as crash=1,lost-reply=1; or `singles`, or `pairs`
    ///
    /// A budget says how often a kind of fault may happen, at any time; what is left out does not. `singles`
    /// runs the model with every kind alone, `pairs` with every two kinds and with each kind twice; then a
    /// table says which faults have hit which effects. `--list -o wide` says what kinds a model has.
    #[arg(long, value_name = "SPEC", value_hint = ValueHint::Other)]
    pub(crate) faults: Option<String>,

    /// Judge only this property; may be given several times. `none` only counts states
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) property: Vec<String>,

    /// Worker threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, allow_negative_numbers = true,
          value_parser = whole::<u16>(1, 256))]
    pub(crate) threads: Option<u16>,

    /// End as INCOMPLETE when more states than this were found
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, allow_negative_numbers = true,
          value_parser = whole::<u64>(1, u64::MAX))]
    pub(crate) max_states: Option<u64>,

    /// End as INCOMPLETE when more memory than this is held, such as 8GiB or 500MB
    #[arg(long, value_name = "AMOUNT", value_hint = ValueHint::Other, default_value = "2500MB")]
    pub(crate) max_memory: Memory,

    /// Keep 128-bit fingerprints instead of states
    ///
    /// Less memory where a state is larger than a fingerprint (16 bytes), more where it is not; and a
    /// chance that two states are taken for one, which is printed.
    #[arg(long)]
    pub(crate) fingerprint: bool,

    /// Explore one of each set of symmetric states; only for safety properties
    #[arg(long)]
    pub(crate) symmetry: bool,

    /// Instead of exploring, walk at random this many times: for what is too large to explore
    ///
    /// Walks find violations of safety properties and ways to `sometimes` properties; of liveness
    /// they know nothing. One thread takes them all, and keeps a fingerprint of each state and the way.
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, allow_negative_numbers = true,
          value_parser = whole::<u64>(1, u64::MAX),
          conflicts_with_all = ["threads", "max_states", "fingerprint", "symmetry"])]
    pub(crate) walks: Option<u64>,

    /// How many steps a walk may take
    #[arg(long, value_name = "N", requires = "walks", value_hint = ValueHint::Other, default_value_t = 1000,
          allow_negative_numbers = true, value_parser = whole::<u32>(1, u32::MAX.into()))]
    pub(crate) walk_steps: u32,

    /// The seed of the walks; the same seed gives the same walks [default: from the clock, printed]
    #[arg(long, value_name = "N", requires = "walks", value_hint = ValueHint::Other,
          allow_negative_numbers = true, value_parser = whole::<u64>(0, u64::MAX))]
    pub(crate) seed: Option<u64>,

    /// Write the counterexample to a file: .txt, .json or .svg
    ///
    /// With several violations it is that of the first declared property. If none is violated, it
    /// is the way to the panic of a model that panicked, or to a `sometimes` property that was
    /// named with --property and reached. Otherwise no file is written, and stderr says so.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) trace: Option<TraceFile>,

    /// How to print results
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    pub(crate) output: Format,

    /// Show no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const COMPLETION_EXAMPLES: &str = "\
Examples:
  bowline completion bash > ~/.local/share/bash-completion/completions/bowline
  bowline completion zsh > ~/.zfunc/_bowline
  bowline completion fish > ~/.config/fish/completions/bowline.fish

Exit codes:
  0  it is printed
  2  there is no such shell";

/// Print the completion script of a shell
#[derive(Args)]
#[command(after_help = COMPLETION_EXAMPLES)]
struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  bowline man | man -l -
  bowline man check | man -l -
  bowline man --dir /usr/local/share/man/man1

Exit codes:
  0  the page is printed, or all are written
  1  a file cannot be written
  2  there is no such command";

/// Print a man page, or write them all
#[derive(Args)]
#[command(after_help = MAN_EXAMPLES)]
struct ManArgs {
    /// The command whose page to print; without it, the page of bowline itself
    #[arg(value_name = "COMMAND", value_parser = ["up", "hub", "controllers", "cluster", "update", "upgrade", "identity", "place", "join", "agent", "backup", "restore", "demo", "crds", "check", "completion", "man"])]
    command: Option<String>,

    /// Write a page for every command into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "command")]
    dir: Option<PathBuf>,
}

/// All commands, as they are parsed and as help, completion and man pages show them: what ends as its group does says so, too.
pub(crate) fn commands() -> clap::Command {
    ends_as(Cli::command(), None)
}

fn ends_as(command: clap::Command, group: Option<&str>) -> clap::Command {
    const HEADING: &str = "Exit codes:";
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let own = help.split_once(HEADING).map(|(_, codes)| codes);
    let command = match (own, group) {
        (None, Some(codes)) => command.after_help(format!("{help}\n\n{HEADING}{codes}")),
        _ => command,
    };
    command.mut_subcommands(|verb| ends_as(verb, own.or(group)))
}

/// What was typed.
fn typed() -> Result<Cli, clap::Error> {
    let mut commands = commands();
    let matches = commands.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut commands))
}

/// Reads the command line and does what it says.
pub(crate) fn run() -> anyhow::Result<Exit> {
    let cli = match typed() {
        Ok(cli) => cli,
        Err(usage) => return explain(&usage),
    };
    match cli.command {
        Command::Up(UpArgs { place, audit, bounds, cloud }) => {
            let means =
                crate::up::Means { updates_at_once: bounds.updates_at_once, fence_hooks: bounds.fence_hooks };
            crate::up::run(place.config(audit), means, cloud.wish()?)
        }
        Command::Hub(args) => args.run(),
        Command::Controllers(args) => controllers::run(&args.wish()?),
        Command::Cluster(args) => args.run(),
        Command::Update(args) => args.run(),
        Command::Upgrade(args) => args.run(),
        Command::Identity(args) => args.run(),
        Command::Place(args) => args.run(),
        Command::Join(args) => args.run(),
        Command::Agent(args) => args.run(),
        Command::Backup(args) => args.run(),
        Command::Restore(args) => args.run(),
        Command::Demo(args) => args.run(),
        Command::Crds(args) => args.run(),
        Command::Check(args) => check::run(&args),
        Command::Completion(args) => generate::completion(args.shell),
        Command::Man(ManArgs { dir: Some(dir), .. }) => generate::man_pages(&dir),
        Command::Man(ManArgs { command, dir: None }) => generate::man_page(command.as_deref()),
    }
}

/// Help and version go to stdout and are no error; what clap did not understand goes to stderr.
fn explain(usage: &clap::Error) -> anyhow::Result<Exit> {
    match usage.print() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            return Err(error).context("cannot write to the terminal");
        }
        _ => {}
    }
    Ok(if usage.use_stderr() { Exit::BadUsage } else { Exit::Done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_fit_together() {
        commands().debug_assert();
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let refused = |line: &str| Cli::try_parse_from(line.split_whitespace()).is_err();
        for option in [
            "--size a=1",
            "--faults x=1",
            "--property P",
            "--max-states 1",
            "--max-memory 1MB",
            "--fingerprint",
            "--symmetry",
            "--walks 1",
            "--walks 1 --walk-steps 1",
            "--walks 1 --seed 1",
            "--trace a.svg",
        ] {
            assert!(!refused(&format!("bowline check seed/irsa {option}")), "{option}");
            assert!(refused(&format!("bowline check --list {option}")), "{option}");
            assert!(refused(&format!("bowline check --expected {option}")), "{option}");
        }
        assert!(!refused("bowline check --expected --threads 2"));
        assert!(!refused("bowline check seed/irsa --expected"));
        for line in [
            "--list --threads 2",
            "--list --expected",
            "--list seed/irsa",
            "seed/irsa --seed 1",
            "seed/irsa --walks 1 --symmetry",
            "seed/irsa --threads 0",
            "",
        ] {
            assert!(refused(&format!("bowline check {line}")), "{line}");
        }
    }

    /// What is wrong with the help of a command and of those below it.
    fn silent(command: &clap::Command, path: &str) -> Vec<String> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let (examples, codes) = help.split_once("Exit codes:").unwrap_or((&help, ""));
        let mut silent = Vec::new();
        if !examples.contains(&format!("  {path}")) && !examples.contains(&format!("| {path}")) {
            silent.push(format!("{path} has no example of itself"));
        }
        if codes.is_empty() && !command.has_subcommands() {
            silent.push(format!("{path} does not say how it ends"));
        }
        if command.get_about().is_none() {
            silent.push(format!("{path} does not say what it does"));
        }
        let verbs = command.get_subcommands().flat_map(|verb| silent_below(verb, path));
        silent.into_iter().chain(verbs).collect()
    }

    fn silent_below(verb: &clap::Command, path: &str) -> Vec<String> {
        silent(verb, &format!("{path} {}", verb.get_name()))
    }

    #[test]
    fn every_command_says_what_it_does_how_it_is_typed_and_how_it_ends() {
        assert_eq!(silent(&commands(), "bowline"), [""; 0]);
    }

    /// The commands of ours that stand in the examples of a help, as words.
    fn examples(help: &str) -> Vec<Vec<String>> {
        let (examples, _) = help.split_once("Exit codes:").unwrap_or((help, ""));
        let lines =
            examples.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        // What a person or a shell has to fill in first is nothing that can be read here.
        let whole = lines.filter(|line| !line.contains('…') && !line.contains("$("));
        let commands = whole.filter_map(|line| Some(&line[line.find("bowline ")?..]));
        // What a shell does with it, and what it is there for, stands behind two blanks or these.
        let alone = commands.map(|line| {
            let ends =
                ["  ", " #", " |", " >", " <", " &", " ;"].iter().filter_map(|end| line.find(end)).min();
            &line[..ends.unwrap_or(line.len())]
        });
        alone
            .map(|line| line.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect())
            .collect()
    }

    /// What of the examples cannot be typed, and which options say nothing of themselves.
    fn mistaken(command: &clap::Command, path: &str) -> Vec<String> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let wrong = examples(&help).into_iter().filter_map(|words| {
            let error = Cli::try_parse_from(&words).err()?;
            error.use_stderr().then(|| format!("{path}: `{}`: {error}", words.join(" ")))
        });
        let options =
            command.get_arguments().filter(|option| option.get_help().is_none() && !option.is_hide_set());
        let options = options.map(|option| format!("{path}: {} does not say what it does", option.get_id()));
        let below =
            command.get_subcommands().flat_map(|verb| mistaken(verb, &format!("{path} {}", verb.get_name())));
        wrong.chain(options).chain(below).collect()
    }

    #[test]
    fn every_example_can_be_typed_and_every_option_says_what_it_does() {
        assert_eq!(
            examples("Examples:\n  a | bowline check x > f  why\n     more\nExit codes:\n  bowline no"),
            [["bowline", "check", "x"]]
        );
        assert_eq!(mistaken(&commands(), "bowline"), [""; 0]);
    }

    #[test]
    fn every_command_has_a_man_page_by_name() {
        for command in Cli::command().get_subcommands() {
            let cli = Cli::try_parse_from(["bowline", "man", command.get_name()]);
            assert!(cli.is_ok(), "{}", command.get_name());
        }
    }
}
