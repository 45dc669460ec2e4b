//! What people see: pairs are made, mended, waited for and taken down; and then it rests.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_sample::{Half, HalfSpec};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use crate::world::{Process, World};

const PAIRS: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn pairs_are_made_mended_and_taken_down_on_every_home() -> Result<()> {
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        let first = world.controller()?;
        for pair in 0..PAIRS {
            world.make(&format!("p{pair}"), 1).await?;
        }
        world.complete(PAIRS).await?;

        // What others change or delete is put right; what people want is done.
        world.halves().delete("p0-left", &DeleteParams::default()).await?;
        let spoilt = Patch::Merge(json!({ "spec": { "value": 99 } }));
        world.halves().patch("p1-right", &PatchParams::default(), &spoilt).await?;
        world.edit("p2", 7).await?;
        world.complete(PAIRS).await?;

        let _second = at_rest(&mut world, first).await?;

        for pair in 0..PAIRS {
            world.delete(&format!("p{pair}")).await?;
        }
        world.empty().await?;
    }
    Ok(())
}

/// A controller that starts decides about everything, and writes nothing.
async fn at_rest(world: &mut World, mut first: Process) -> Result<Process> {
    first.kill()?;
    let (versions, mark) = (world.versions().await?, world.proxy.mark());
    let second = world.controller()?;
    let decided = async || {
        let lines = second.journal()?;
        let mut keys: Vec<_> = lines.iter().filter_map(|line| line["key"].as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(keys.len() == PAIRS)
    };
    world.until("every pair is decided about", decided).await?;
    for line in second.journal()? {
        ensure!(
            line["decision"] == "converged" && line.get("reason").is_none() && line.get("effect").is_none(),
            "{line}"
        );
    }
    ensure!(world.made(mark) == 0, "{}", world.proxy.journal());
    ensure!(world.versions().await? == versions);
    // It goes on.
    world.edit("p3", 8).await?;
    world.complete(PAIRS).await?;
    Ok(second)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_its_own_is_waited_for_and_left_alone() -> Result<()> {
    let mut world = World::start(Kind::Embedded).await?;
    let controller = world.controller()?;
    let strange = Half::new("a-right", HalfSpec { value: 5 });
    world.halves().create(&PostParams::default(), &strange).await?;
    world.make("a", 1).await?;
    world.says("a", "RightNameTaken").await?;
    let why = "somebody to remove what has the name of the right half and is not the pair's";
    let waits = async || {
        let lines = controller.journal()?;
        Ok(lines.iter().any(|line| line["decision"] == "wait" && line["reason"] == why))
    };
    world.until("its journal says what it waits for", waits).await?;
    ensure!(world.halves().get("a-right").await?.spec.value == 5);
    world.halves().delete("a-right", &DeleteParams::default()).await?;
    world.complete(1).await
}
