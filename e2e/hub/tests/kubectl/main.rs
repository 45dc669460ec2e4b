//! Every kubectl command that the hub promises, by the real kubectl.

mod custom;
mod objects;
mod people;

use anyhow::Result;
use bowline_e2e_hub::{Hub, Kubectl, Scratch};

/// A hub of its own for a test.
struct Stage {
    kubectl: Kubectl,
    hub: Hub,
    scratch: Scratch,
}

impl Stage {
    fn new(name: &str) -> Result<Stage> {
        let scratch = Scratch::new(name)?;
        let hub = Hub::start(&scratch.join("hub"))?;
        let kubectl = Kubectl::new(&hub, scratch.join("cache"))?;
        Ok(Stage { kubectl, hub, scratch })
    }
}
