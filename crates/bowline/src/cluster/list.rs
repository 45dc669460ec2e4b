//! `bowline cluster list`.

use bowline_runtime::Manner;
use kube::ResourceExt;
use kube::api::ListParams;
use serde_json::json;

use super::{Standing, age, clusters, way};
use crate::ago::passed;
use crate::columns::{Columns, short};
use crate::connection::{Wanted, failed};
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::palette;

/// How much of a message the table shows; `wide` and `show` have all of it.
const MESSAGE: usize = 60;

/// Lists the clusters.
pub(crate) async fn list(server: &Wanted, format: Format) -> anyhow::Result<Exit> {
    let client = server.client(Manner::Patiently).await?;
    let found = clusters(&client).list(&ListParams::default()).await;
    let mut found = found.map_err(|error| failed(error, "cannot list clusters"))?.items;
    found.sort_by_key(ResourceExt::name_any);
    if !format.is_text() {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": found });
        output::print(&output::document(format, &list)?)?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        output::note("There are no clusters. To try things on: bowline cluster add toy --embedded");
        return Ok(Exit::Done);
    }
    let wide = format == Format::Wide;
    let mut columns = Columns::new(if wide {
        &["NAME", "STANDS", "SINCE", "VERSION", "REACHED BY", "SERVER", "AGE", "MESSAGE"]
    } else {
        &["NAME", "STANDS", "SINCE", "VERSION", "REACHED BY", "AGE", "MESSAGE"]
    });
    for cluster in &found {
        let standing = Standing::of(cluster);
        let style = match standing.ready {
            Some(true) => palette::GOOD,
            Some(false) => palette::BAD,
            None => palette::PLAIN,
        };
        let plain = |text: String| (palette::PLAIN, text);
        let status = cluster.status.clone().unwrap_or_default();
        let mut row = vec![plain(cluster.name_any()), (style, standing.word().into())];
        row.push(plain(standing.since.as_ref().map(passed).unwrap_or_default()));
        row.push(plain(status.version.unwrap_or_default()));
        row.push(plain(way(cluster).into()));
        if wide {
            row.push(plain(status.endpoint.map(|endpoint| endpoint.server).unwrap_or_default()));
        }
        let why = if wide { standing.why } else { short(&standing.why, MESSAGE) };
        row.extend([plain(age(cluster)), plain(why)]);
        columns.row(row);
    }
    output::print(&columns.render())?;
    Ok(Exit::Done)
}
