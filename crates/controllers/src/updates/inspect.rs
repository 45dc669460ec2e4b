//! What is there on a cluster: one object, or all of a kind.

use http::Method;
use serde_json::Value;

use super::kinds::Served;
use super::names::Place;
use super::request::{Asked, Trouble, Way};
use super::unseen::Unseen;

/// How many objects are listed at a time.
const PAGE: &str = "500";

/// An object, if it is there.
pub(crate) async fn get(client: Way<'_>, served: &Served, place: &Place) -> Result<Option<Value>, Unseen> {
    match Asked::new(Method::GET, served.object(place)).send(client).await {
        Ok((_, live)) => Ok(Some(live)),
        Err(Trouble::Said { code: 404, .. }) => Ok(None),
        Err(trouble) => Err(Unseen::from(trouble).told(|why| format!("{place}: {why}"))),
    }
}

/// The objects of a kind, in a namespace or in all of them.
pub(crate) async fn list(
    client: Way<'_>,
    served: &Served,
    namespace: &str,
    labels: Option<&str>,
) -> Result<Vec<Value>, Unseen> {
    let (mut all, mut next) = (Vec::new(), String::new());
    loop {
        let mut asked = Asked::new(Method::GET, served.collection(namespace)).with("limit", PAGE);
        if let Some(labels) = labels {
            asked = asked.with("labelSelector", labels);
        }
        if !next.is_empty() {
            asked = asked.with("continue", next);
        }
        let mut page = match asked.send(client).await {
            Ok((_, page)) => page,
            // The kind is gone, and with it all of its objects.
            Err(Trouble::Said { code: 404, .. }) => return Ok(Vec::new()),
            Err(trouble) => {
                let plural = &served.plural;
                return Err(Unseen::from(trouble).told(|why| format!("{plural} cannot be listed: {why}")));
            }
        };
        if let Some(items) = page["items"].as_array_mut() {
            all.extend(items.drain(..).map(|item| typed(item, served)));
        }
        next = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        if next.is_empty() {
            return Ok(all);
        }
    }
}

/// What was listed does not say its type.
fn typed(mut item: Value, served: &Served) -> Value {
    if let Some(fields) = item.as_object_mut() {
        fields.insert("apiVersion".into(), served.api_version.clone().into());
        fields.insert("kind".into(), served.kind.clone().into());
    }
    item
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_listed_says_its_type() {
        let served = Served {
            api_version: "g/v1".into(),
            kind: "Thing".into(),
            plural: "things".into(),
            is_namespaced: true,
            is_listed: true,
            is_deleted: true,
        };
        let item = typed(json!({ "metadata": { "name": "x", "namespace": "a" } }), &served);
        assert_eq!(
            Place::of(&item),
            Some(Place { group: "g".into(), kind: "Thing".into(), namespace: "a".into(), name: "x".into() })
        );
    }
}
