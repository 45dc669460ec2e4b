//! Updates keep off what placements manage in a cluster: neither adopted, nor changed, nor removed.

use anyhow::{Result, ensure};
use bowline_e2e_placements::{Bed, claim, deployment};
use serde_json::{Value, json};

#[test]
fn an_update_of_what_a_placement_manages_is_refused_and_names_it() -> Result<()> {
    let bed = Bed::start(&["east"])?;
    bed.place("shop", "east", &[claim("shop", "data"), deployment("shop", "web", Some("data"))])?;
    bed.is_up("shop", "east")?;
    let everybody = "{\"spec\":{\"allowedNamespaces\":{\"selector\":{}}}}";
    bed.kubectl()?.ok(&format!("patch cluster east --type=merge -p {everybody}"), "")?;
    let east = bed.at("east")?;
    let volume = east.ok("-n shop get pvc data -o jsonpath={.spec.volumeName}", "")?;
    let there = || -> Result<String> {
        let what = "-o jsonpath={.metadata.uid},{.metadata.labels}";
        let all =
            ["get namespace shop".to_owned(), "-n shop get pvc data".to_owned(), format!("get pv {volume}")];
        all.iter().map(|one| east.ok(&format!("{one} {what}"), "")).collect()
    };
    let before = there()?;
    let mut is: Value = serde_json::from_str(&east.ok(&format!("get pv {volume} -o json"), "")?)?;
    is["metadata"] = json!({ "name": volume, "labels": { "mine": "yes" } });
    is.as_object_mut().map(|fields| fields.remove("status"));
    let mut wanted = claim("shop", "data");
    wanted["metadata"]["labels"] = json!({ "mine": "yes" });
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace",
        "metadata": { "name": "shop", "labels": { "mine": "yes" } } });
    for (name, object) in [("namespace", namespace), ("claim", wanted), ("volume", is)] {
        let file = bed.path(&format!("{name}.json"));
        std::fs::write(&file, object.to_string())?;
        let line = |verb: &str, more: &str| {
            format!("update {verb} {} --cluster east --stack {name}{more}", file.display())
        };
        bed.says(&line("plan", ""), 1, &["the placement shop"])?;
        bed.says(&line("submit", " --wait"), 1, &["the placement shop"])?;
    }
    ensure!(there()? == before, "{} and not {before}", there()?);
    bed.clean().map(drop)
}
