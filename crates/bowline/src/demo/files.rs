//! What the demo submits and applies: the examples of the repository.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Where each file is in the directory of the demo, and what is in it.
const FILES: &[(&str, &str)] = &[
    ("shop/settings.yaml", include_str!("../../../../examples/shop/settings.yaml")),
    ("shop/web.yaml", include_str!("../../../../examples/shop/web.yaml")),
    ("shop-2/settings.yaml", include_str!("../../../../examples/shop-2/settings.yaml")),
    ("shop-2/web.yaml", include_str!("../../../../examples/shop-2/web.yaml")),
    ("shop-broken/settings.yaml", include_str!("../../../../examples/shop-broken/settings.yaml")),
    ("shop-broken/web.yaml", include_str!("../../../../examples/shop-broken/web.yaml")),
    ("tour.yaml", include_str!("../../../../examples/upgrades/tour.yaml")),
    ("placed.yaml", include_str!("../../../../examples/placements/shop.yaml")),
    ("s3-reader.yaml", include_str!("../../../../examples/identities/s3-reader.yaml")),
];

/// Writes them all.
pub(super) fn write(directory: &Path) -> anyhow::Result<()> {
    for (name, text) in FILES {
        let file = directory.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        }
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
