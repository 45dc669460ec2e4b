//! The controller is killed again and again: nothing is lost, and nothing is made twice.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_fixtures::proxy::Matcher;
use kube::ResourceExt;
use kube::api::ListParams;

use crate::world::{HALVES, World};

/// Lives, and how many pairs each of them is given.
const LIVES: usize = 12;
const EACH: usize = 3;

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_write_it_goes_on_where_it_was() -> Result<()> {
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        for life in 0..LIVES {
            for pair in 0..EACH {
                world.make(&format!("p{life}-{pair}"), 1).await?;
            }
            let mark = world.proxy.mark();
            let mut controller = world.controller()?;
            // Each ends somewhere else: there are always more than these to make.
            let writes = 1 + life % 6;
            world.until("writes are made", async || Ok(world.made(mark) >= writes)).await?;
            controller.kill()?;
        }
        let _controller = world.controller()?;
        let all = LIVES * EACH;
        world.complete(all).await?;
        ensure!(world.proxy.count(Matcher::writes().of(HALVES)) >= 2 * all, "all went through the proxy");
        for pair in world.pairs().list(&ListParams::default()).await? {
            world.delete(&pair.name_any()).await?;
        }
        world.empty().await?;
    }
    Ok(())
}
