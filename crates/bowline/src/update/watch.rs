//! `bowline update watch`.

use std::collections::BTreeMap;

use bowline_api::updates::Update;
use futures::{StreamExt, TryStreamExt};
use kube::ResourceExt;
use kube::runtime::{WatchStreamExt, watcher};

use super::follow::{colon, forbidden};
use super::list::style;
use super::{Following, Named, Scope, status, title, word};
use crate::exit::Exit;
use crate::output;
use crate::palette::paint;

/// Follows one update to its end, or shows what becomes of all until nobody reads it any more.
pub(crate) async fn watch(
    scope: &Scope,
    named: Option<&Named>,
    following: &Following,
) -> anyhow::Result<Exit> {
    let team = scope.team().await?;
    if let Some(named) = named {
        let update = team.named(named).await?;
        return Ok(team.follow(update, following).await?.0);
    }
    let mut seen =
        watcher(team.updates(), watcher::Config::default()).default_backoff().applied_objects().boxed();
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    loop {
        let update = match seen.try_next().await {
            Ok(Some(update)) => update,
            Ok(None) => return Ok(Exit::Done),
            Err(error) => {
                forbidden(error)?;
                continue;
            }
        };
        let line = line(&update);
        if told.get(&update.name_any()) != Some(&line) {
            if !output::reaches(&line)? {
                return Ok(Exit::Done);
            }
            told.insert(update.name_any(), line);
        }
    }
}

fn line(update: &Update) -> String {
    let said = status(update);
    let progress = said.progress.map(|progress| format!(" {}", progress.summary)).unwrap_or_default();
    let phase = paint(style(said.phase), word(said.phase));
    format!("{} {phase}{progress}{}\n", title(update), colon(&said.message))
}
