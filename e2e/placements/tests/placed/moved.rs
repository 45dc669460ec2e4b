//! A namespace goes from one cluster to another, and its data with it.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment, object};
use serde_json::{Value, json};

#[test]
fn a_namespace_goes_with_its_data_and_comes_back() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 5)?;
    bed.says("place move shop --to west --wait", 0, &[])?;
    bed.is_up("shop", "west")?;
    bed.writes("west", 5)?;
    bed.is_clear_of("east", "shop")?;
    bed.says("place history shop/data", 0, &["east", "west"])?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.writes("east", 5)?;
    bed.is_clear_of("west", "shop")?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (1, 2), "{verdict}");
    Ok(())
}

#[test]
fn who_is_wanted_back_in_the_middle_ends_where_it_is_wanted_last() -> Result<()> {
    let bed = Bed::start(&["east", "west"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 3)?;
    for _ in 0..3 {
        bed.says("place move shop --to west", 0, &[])?;
        bed.says("place move shop --to east", 0, &[])?;
    }
    bed.says("place move shop --to west", 0, &[])?;
    bed.says("place move shop --to east --wait", 0, &[])?;
    bed.is_up("shop", "east")?;
    bed.writes("east", 5)?;
    bed.is_clear_of("west", "shop")?;
    bed.clean().map(drop)
}

/// The placement of a namespace.
fn placement(namespace: &str, target: &str) -> Value {
    object(
        "bowline.dev/v1alpha1",
        "Placement",
        namespace,
        "placement",
        &json!({ "spec": { "target": target } }),
    )
}

#[test]
fn a_hundred_are_moved_at_once() -> Result<()> {
    // Each of them has a pod that writes; the bench moves a thousand whose pods only are there.
    const COUNT: usize = 100;
    let bed = Bed::start(&["east", "west"])?;
    let names: Vec<_> = (0..COUNT).map(|number| format!("shop-{number}")).collect();
    let namespace =
        |name: &String| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    bed.apply(&names.iter().map(namespace).collect::<Vec<_>>())?;
    let all =
        |name: &String| [placement(name, "east"), claim(name, "data"), deployment(name, "web", Some("data"))];
    bed.apply(&names.iter().flat_map(all).collect::<Vec<_>>())?;
    bed.writes_to("east", COUNT)?;
    for name in &names {
        bed.is_up(name, "east")?;
    }
    bed.apply(&names.iter().map(|name| placement(name, "west")).collect::<Vec<_>>())?;
    for name in &names {
        bed.is_up(name, "west")?;
        bed.is_clear_of("east", name)?;
    }
    bed.writes_to("west", COUNT)?;
    let verdict = bed.clean()?;
    ensure!((verdict.volumes, verdict.moves) == (COUNT, COUNT), "{verdict}");
    Ok(())
}
