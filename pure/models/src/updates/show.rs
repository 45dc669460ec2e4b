//! Stacks, updates and their cluster as people read them.

use bowline_control::lease::Epoch;
use bowline_updates::{Object, Stack};

use super::names::{decode, object};
use crate::harness::Flat;

pub(crate) fn describe(slot: u8, flat: &Flat) -> String {
    match object(slot, *flat) {
        Object::Stack(stack) => {
            let Stack { wish, status, told, .. } = stack;
            let mut said = vec![format!("{:?}", status.phase), format!("attempt {}", status.attempt)];
            said.push(if status.epoch == Epoch(1) { "led".into() } else { "not led".to_owned() });
            said.extend(wish.paused.then(|| "paused".to_owned()));
            said.extend(wish.repairs.then(|| "repairs".to_owned()));
            said.extend((wish.history == 0).then(|| "discards".to_owned()));
            said.extend(wish.released.iter().map(|number| format!("{number} is released")));
            said.extend(status.resumed.then(|| "resumed".to_owned()));
            said.extend(status.good.map(|good| format!("good {} of content {}", good.number, good.digest)));
            said.push(format!("{} submitted", status.submitted));
            said.extend(status.requests.iter().map(|request| {
                format!(
                    "{} is {:?} of content {} by {}",
                    request.number,
                    request.stage,
                    request.digest,
                    request.update + 1
                )
            }));
            said.extend(status.inventory.map(|inventory| format!("has {:?}", decode(inventory).0)));
            said.extend(
                status
                    .quarantined
                    .iter()
                    .map(|bad| format!("content {} was bad in {}", bad.digest, bad.number)),
            );
            said.extend(told.map(|told| format!("says {:?} at {}", told.mood, told.observed)));
            said.join(", ")
        }
        Object::Update(update) => {
            let shown = update
                .shown
                .map_or("nothing".to_owned(), |shown| format!("{:?} {:?}", shown.number, shown.stage));
            format!("content {}, made as {}, shows {shown}", update.digest, update.created)
        }
        Object::Cluster(cluster) => format!(
            "{}{}updates {:?}{}",
            if cluster.ready { "" } else { "not ready, " },
            if cluster.paused { "paused, " } else { "" },
            cluster.updates,
            if cluster.upgrade { ", upgrade" } else { "" }
        ),
    }
}
