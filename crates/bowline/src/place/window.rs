//! `bowline place window`: when a namespace may be taken from where it runs.

use bowline_api::placements::{MoveWindow, Placement, Weekday};
use kube::api::Patch;
use serde_json::json;

use super::{Hub, patching};
use crate::connection::{Wanted, failed};
use crate::exit::Exit;
use crate::output::{self, Format};

/// Says when a namespace may be moved; without a window, at any time.
pub(crate) async fn window(
    server: &Wanted,
    namespace: &str,
    window: Option<MoveWindow>,
    format: Format,
) -> anyhow::Result<Exit> {
    let hub = Hub::of(server).await?;
    hub.placed(namespace).await?;
    // All of it, or the days of before would stay.
    let window = window.map(|MoveWindow { days, from, to }| json!({ "days": days, "from": from, "to": to }));
    let change = json!({ "spec": { "moveWindow": window } });
    let changed = hub.placements(namespace).patch(Placement::NAME, &patching(), &Patch::Merge(change)).await;
    let changed =
        changed.map_err(|error| failed(error, &format!("cannot change when {namespace} is moved")))?;
    if !format.is_text() {
        output::print(&output::document(format, &changed)?)?;
        return Ok(Exit::Done);
    }
    output::note(&match &changed.spec.move_window {
        Some(window) => format!(
            "The namespace {namespace} is taken from where it runs {} only; `bowline place move {namespace} --to TARGET --now` does not wait for that.",
            words(window)
        ),
        None => format!("The namespace {namespace} may be moved at any time."),
    });
    Ok(Exit::Done)
}

/// A window in words.
fn words(MoveWindow { days, from, to }: &MoveWindow) -> String {
    let on = |day: &Weekday| format!("{day:?}");
    let days = match days.as_slice() {
        [] => "every day".to_owned(),
        days => format!("on {}", days.iter().map(on).collect::<Vec<_>>().join(", ")),
    };
    format!("{days} from {from} to {to} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_told_in_words() {
        let window = |days: &[Weekday]| MoveWindow {
            days: days.to_vec(),
            from: "22:00".to_owned(),
            to: "04:00".to_owned(),
        };
        assert_eq!(words(&window(&[])), "every day from 22:00 to 04:00 UTC");
        assert_eq!(
            words(&window(&[Weekday::Saturday, Weekday::Sunday])),
            "on Saturday, Sunday from 22:00 to 04:00 UTC"
        );
    }
}
