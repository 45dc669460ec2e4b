//! The same cases on both homes.

use anyhow::{Context, Result};
use bowline_e2e_homes::{Home, Kind};

use crate::{cases, run};

#[tokio::test(flavor = "multi_thread")]
async fn both_homes_define_all_kinds_and_refuse_the_same_with_the_same_words() -> Result<()> {
    let mut said = Vec::new();
    for kind in Kind::ALL {
        let home = Home::start(kind)?;
        assert_eq!(home.kind(), kind);
        let verdicts = run::all(home.client().await?).await.with_context(|| kind.to_string())?;
        assert!(verdicts.len() >= cases::rules().len());
        said.push(verdicts);
    }
    let [embedded, kubernetes] = &said[..] else { anyhow::bail!("there are two homes") };
    assert_eq!(embedded.len(), kubernetes.len());
    for (ours, theirs) in embedded.iter().zip(kubernetes) {
        assert_eq!(ours, theirs);
    }
    Ok(())
}
