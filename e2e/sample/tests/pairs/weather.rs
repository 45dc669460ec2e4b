//! Lost requests, lost answers, refusals, gaps: what the explorer puts in, on a real network.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_fixtures::proxy::{Answer, Cut, Mark, Matcher, Outcome, Record, Rule, Verb, Weather};

use crate::world::{HALVES, PAIRS, World};

#[tokio::test(flavor = "multi_thread")]
async fn every_third_write_meets_bad_weather_and_all_comes_right() -> Result<()> {
    for kind in Kind::ALL {
        let mut world = World::start(kind).await?;
        let writes = || Matcher::writes().of(HALVES);
        for (nth, weather) in [
            (2, Weather::LoseRequest),
            (4, Weather::LoseReply),
            (6, Weather::Answer(Answer::conflict())),
            (8, Weather::Answer(Answer::too_many_requests(0))),
            (10, Weather::Answer(Answer::internal_error())),
            (12, Weather::LoseReply),
        ] {
            world.proxy.rule(Rule::nth(nth, writes(), weather));
        }
        let _controller = world.controller()?;
        for pair in 0..8 {
            world.make(&format!("p{pair}"), 1).await?;
        }
        world.complete(8).await?;
        world.proxy.cut(PAIRS, Cut::Expired);
        world.proxy.cut(HALVES, Cut::Expired);
        world.edit("p1", 2).await?;
        world.complete(8).await?;
        for pair in 0..8 {
            world.delete(&format!("p{pair}")).await?;
        }
        world.empty().await?;
        // The client asks nothing twice by itself: every create of a half follows from a decision of its own.
        let creates = world.proxy.count(Matcher::from(Verb::Create).of(HALVES));
        ensure!((17..=16 + 6).contains(&creates), "{creates}: sixteen halves, six of which met bad weather");
        let mut met: Vec<_> =
            world.proxy.since(Mark::START, writes()).iter().filter_map(weather_of).collect();
        met.sort_unstable();
        ensure!(met == ["409", "429", "500", "lost", "unheard", "unheard"], "{}", world.proxy.journal());
    }
    Ok(())
}

/// What a request met on its way.
fn weather_of(record: &Record) -> Option<String> {
    match record.outcome.as_ref()? {
        Outcome::Answered(_) => None,
        Outcome::Replaced(status) => Some(status.to_string()),
        Outcome::Unheard(_) => Some("unheard".into()),
        Outcome::Lost => Some("lost".into()),
        Outcome::Unknown(why) => Some(why.clone()),
    }
}
