//! The controller is killed again and again: nothing is lost, and nothing is made twice.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_fixtures::proxy::Matcher;

use crate::world::World;

const PAIRS: usize = 20;
const KILLS: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_write_it_goes_on_where_it_was() -> Result<()> {
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        for pair in 0..PAIRS {
            world.make(&format!("p{pair}"), 1).await?;
        }
        for kill in 1..=KILLS {
            let mark = world.proxy.mark();
            let controller = world.controller()?;
            // Each life is as long as some writes, each a little longer than the last.
            world
                .until(&format!("{kill} writes are made"), async || Ok(world.writes(mark) >= kill + 2))
                .await?;
            controller.kill()?;
        }
        let _controller = world.controller()?;
        world.complete(PAIRS).await?;
        ensure!(world.proxy.count(Matcher::writes().of("halves")) >= 2 * PAIRS, "all went through the proxy");
        for pair in 0..PAIRS {
            world.delete(&format!("p{pair}")).await?;
        }
        world.empty().await?;
    }
    Ok(())
}
