//! How far an update is, while somebody waits.

use std::io::IsTerminal;
use std::time::Duration;

use bowline_api::updates::Update;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::follow::colon;
use super::{status, title, word};
use crate::output;

/// A bar on a terminal; elsewhere a line whenever it says something new, for those who read it later.
pub(super) struct Meter {
    bar: ProgressBar,
    quiet: bool,
    last: String,
}

impl Meter {
    pub(super) fn start(quiet: bool) -> Meter {
        let bar = ProgressBar::new(0);
        if !quiet && std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            // The templates are constants: if one were wrong, the default one would do.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed}  {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Meter { bar, quiet, last: String::new() }
    }

    /// Shows what an update says of itself.
    pub(super) fn show(&mut self, update: &Update) {
        let said = status(update);
        let phase = format!("{}{}", word(said.phase), colon(&said.message));
        if self.bar.is_hidden() {
            if !self.quiet && self.last != phase {
                output::note(&format!("{} {phase}", title(update)));
            }
            self.last = phase;
            return;
        }
        if let Some(progress) = said.progress.filter(|progress| progress.total > 0) {
            if self.bar.length() == Some(0)
                && let Ok(style) = ProgressStyle::with_template(
                    "{spinner} {prefix} {elapsed} [{bar:20}] {pos}/{len}  {wide_msg}",
                )
            {
                self.bar.set_style(style);
            }
            self.bar.set_length(progress.total.into());
            self.bar.set_position(progress.done.into());
        }
        self.bar.set_prefix(title(update));
        self.bar.set_message(phase);
    }

    /// Says something that is not the update's.
    pub(super) fn tell(&self, text: &str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(text.to_owned());
        } else if !self.quiet {
            output::note(text);
        }
    }

    /// Takes the bar away: what follows are results.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
