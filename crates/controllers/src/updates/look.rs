//! A look at a cluster: what is there, and what its server would make of what is wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bowline_updates::{Content, Fit, Health, Inventory, Live, Sight, Sights, Wanted, Whose};
use futures::future::BoxFuture;
use http::Method;
use kube::Client;
use serde_json::Value;

use super::album::Album;
use super::health::health;
use super::kinds::{Kinds, Served};
use super::marks::{Actor, MANAGER, STACK_UID, is_same, read, said};
use super::names::{Place, Text};
use super::request::{Asked, Trouble};
use super::spared::spared;
use super::together::try_all;
use super::unseen::Unseen;

/// How many objects are listed at a time.
const PAGE: &str = "500";

/// Who looks, and where.
pub(crate) struct Eyes<'a> {
    pub(crate) client: &'a Client,
    pub(crate) kinds: &'a Kinds,
    pub(crate) actor: &'a Actor,
    /// Where objects are kept whole, if anybody wants to see them so.
    pub(crate) album: Option<&'a Album>,
}

/// Whether these kinds are all that is needed for a content.
pub(crate) fn is_enough(kinds: &Kinds, content: &Content<Text>) -> bool {
    content.0.iter().all(|(place, wanted)| kinds.exact(place, api_version(&wanted.body)).is_some())
}

pub(crate) fn api_version(body: &Value) -> &str {
    body["apiVersion"].as_str().unwrap_or_default()
}

/// A place as a content says it, what is wanted there, and its kind.
type Wish<'a> = (&'a Place, &'a Wanted<Text>, &'a Served);

/// What a content wants, by where the server says it is.
struct Wishes<'a> {
    /// By place as the server says it: the place as the content says it, and what it wants.
    known: BTreeMap<Place, Wish<'a>>,
    /// What cannot be asked for.
    odd: Vec<(&'a Place, Fit<Text>)>,
    /// What the content itself brings: kinds, by group and name, and namespaces.
    kinds: BTreeSet<(String, String)>,
    namespaces: BTreeSet<String>,
}

impl Eyes<'_> {
    /// Everything that is wanted, was touched, or says that it is the stack's.
    pub(crate) async fn look(
        &self,
        content: &Content<Text>,
        inventory: &Inventory<Text>,
    ) -> Result<Arc<Sights<Text>>, Unseen> {
        let wishes = self.wishes(content);
        let ours = self.ours(&wishes, inventory).await?;
        let mut sights: Sights<Text> = BTreeMap::new();
        // What was touched, and does not say that it is ours any more, is left alone: it need not be seen.
        let touched = inventory.0.keys().filter(|place| !content.0.contains_key(*place));
        sights.extend(touched.map(|place| (place.clone(), Sight::nothing())));
        sights.extend(
            wishes.odd.iter().map(|(place, fit)| ((*place).clone(), Sight { live: None, fit: fit.clone() })),
        );
        let mut wanted: Vec<BoxFuture<'_, Result<_, Unseen>>> = Vec::new();
        for (settled, wish) in &wishes.known {
            let (live, wishes) = (ours.get(settled), &wishes);
            let sight = async move { Ok((wish.0.clone(), self.try_one(wishes, settled, wish, live).await?)) };
            wanted.push(Box::pin(sight));
        }
        sights.extend(try_all(wanted).await?);
        let mut unwanted: Vec<BoxFuture<'_, Result<_, Unseen>>> = Vec::new();
        for (settled, live) in ours.iter().filter(|(settled, _)| !wishes.known.contains_key(*settled)) {
            unwanted
                .push(Box::pin(async move { Ok((settled.clone(), self.unwanted(settled, live).await?)) }));
        }
        let unwanted = try_all(unwanted).await?;
        // The inventory may have said it without its namespace.
        for (settled, sight) in unwanted {
            let said = inventory.0.keys().find(|place| self.is_at(place, &settled));
            let place = said.unwrap_or(&settled);
            if let Some(album) = self.album {
                album.keep(place, ours.get(&settled), None);
            }
            sights.insert(place.clone(), sight);
        }
        Ok(Arc::new(sights))
    }

    fn is_at(&self, place: &Place, settled: &Place) -> bool {
        place == settled
            || (place.kind == settled.kind
                && self.kinds.preferred(place).is_some_and(|served| served.settled(place) == *settled))
    }

    fn wishes<'a>(&'a self, content: &'a Content<Text>) -> Wishes<'a> {
        let mut wishes = Wishes {
            known: BTreeMap::new(),
            odd: Vec::new(),
            kinds: BTreeSet::new(),
            namespaces: BTreeSet::new(),
        };
        for (place, wanted) in &content.0 {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            match (place.group.as_str(), place.kind.as_str()) {
                ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                    let spec = &wanted.body["spec"];
                    wishes.kinds.insert((text(&spec["group"]), text(&spec["names"]["kind"])));
                }
                ("", "Namespace") => drop(wishes.namespaces.insert(place.name.clone())),
                _ => {}
            }
        }
        for (place, wanted) in &content.0 {
            let Some(served) = self.kinds.exact(place, api_version(&wanted.body)) else {
                let comes = wishes.kinds.contains(&(place.group.clone(), place.kind.clone()));
                wishes.odd.push((place, if comes { Fit::Later } else { unknown(place, &wanted.body) }));
                continue;
            };
            if let Some((other, ..)) = wishes.known.insert(served.settled(place), (place, wanted, served)) {
                let why = format!("{place} and {other} are one object: say it once");
                wishes.odd.push((other, Fit::Refused(why)));
            }
        }
        wishes
    }

    /// What says that it is the stack's, of all kinds that are wanted or were touched.
    async fn ours(
        &self,
        wishes: &Wishes<'_>,
        inventory: &Inventory<Text>,
    ) -> Result<BTreeMap<Place, Value>, Unseen> {
        let touched = inventory.0.keys().filter_map(|place| self.kinds.preferred(place));
        let wanted = wishes.known.values().map(|(_, _, served)| *served);
        let mut kinds: BTreeMap<(&str, &str), &Served> = BTreeMap::new();
        for served in touched.chain(wanted).filter(|served| served.is_listed) {
            // A kind is listed once, in the version that is wanted, if one is.
            let group = served.api_version.split_once('/').map_or("", |(group, _)| group);
            kinds.insert((group, &served.kind), served);
        }
        let mut lists: Vec<BoxFuture<'_, _>> = Vec::new();
        for served in kinds.into_values() {
            lists.push(Box::pin(self.labelled(served)));
        }
        let all =
            try_all(lists).await?.into_iter().flatten().filter(|live| self.actor.whose(live) == Whose::Ours);
        Ok(all.filter_map(|live| Some((Place::of(&live)?, live))).collect())
    }

    async fn labelled(&self, served: &Served) -> Result<Vec<Value>, Unseen> {
        let selector = format!("{STACK_UID}={}", self.actor.uid);
        list(self.client, served, "", Some(&selector)).await
    }

    /// What its server would make of an object that is wanted.
    async fn try_one(
        &self,
        wishes: &Wishes<'_>,
        settled: &Place,
        (place, wanted, served): &Wish<'_>,
        ours: Option<&Value>,
    ) -> Result<Sight<Text>, Unseen> {
        if let Some(live) = ours.filter(|live| !live["metadata"]["deletionTimestamp"].is_null()) {
            return Ok(Sight { live: Some(self.live(live, true)), fit: Fit::Later });
        }
        let body = self.actor.marked(&wanted.body, ours.map(read).as_ref());
        let tried = Asked::new(Method::PATCH, served.object(settled))
            .with("dryRun", "All")
            .with("fieldManager", MANAGER)
            .with("force", "true")
            .with("fieldValidation", "Strict")
            .body("application/apply-patch+yaml", &body);
        let (is_new, tried) = match tried.send(self.client).await {
            Ok((is_new, tried)) => (is_new, Ok(tried)),
            Err(Trouble::Silence(why)) => return Err(Unseen::Silent(why)),
            Err(refused) => (false, Err(refused)),
        };
        // What nobody has said to be ours may be somebody's.
        let found = match ours {
            None if !is_new => get(self.client, served, settled).await?,
            _ => None,
        };
        let live = ours.or(found.as_ref());
        if let Some(album) = self.album {
            album.keep(place, live, tried.as_ref().ok());
        }
        let fit = match (&tried, live) {
            (Err(why), _) => wishes.misfit(settled, why),
            // Who made it was lost before its fields were ours as applied ones are.
            (Ok(_), Some(live)) if ours.is_some() && read(live).is_raw => Fit::Differs,
            (Ok(tried), Some(live)) if is_same(live, tried) => Fit::Same,
            (Ok(_), _) => Fit::Differs,
        };
        Ok(Sight { live: live.map(|live| self.live(live, true)), fit })
    }

    /// Something of ours that nobody wants.
    async fn unwanted(&self, settled: &Place, live: &Value) -> Result<Sight<Text>, Unseen> {
        let why = spared(self, settled, live).await?;
        Ok(Sight { live: Some(Live { spared: why, ..self.live(live, false) }), fit: Fit::Same })
    }

    fn live(&self, live: &Value, is_wanted: bool) -> Live<Text> {
        let whose = self.actor.whose(live);
        // What was there before is asked of what was not ours, and of nothing else.
        let body = if whose == Whose::Ours { Value::Null } else { said(live) };
        let health = if is_wanted { health(live) } else { Health::Well };
        Live { whose, body, read: read(live), spared: None, health }
    }
}

impl Wishes<'_> {
    /// Why a server does not take what is wanted.
    fn misfit(&self, place: &Place, why: &Trouble) -> Fit<Text> {
        let Trouble::Said { code, words, about } = why else { return Fit::Refused(why.words().to_owned()) };
        let brings_namespace = self.namespaces.contains(&place.namespace);
        let brings_kind = self.kinds.contains(&(place.group.clone(), place.kind.clone()));
        let is_leaving = *code == 403 && words.contains("is being terminated");
        match (*code, about.as_str()) {
            (404, "namespaces") if brings_namespace => Fit::Later,
            (404, "namespaces") => {
                let namespace = &place.namespace;
                Fit::Refused(format!(
                    "{place}: its namespace {namespace:?} is not there; make it, or put it into the bundle"
                ))
            }
            (404, _) if brings_kind => Fit::Later,
            (403, _) if is_leaving && brings_namespace => Fit::Later,
            _ => Fit::Refused(format!("{place}: {words}")),
        }
    }
}

fn unknown(place: &Place, body: &Value) -> Fit<Text> {
    let (kind, version) = (&place.kind, api_version(body));
    Fit::Refused(format!(
        "{place}: the cluster knows no kind {kind:?} of {version:?}; put its definition into the bundle, or on the cluster"
    ))
}

/// An object, if it is there.
pub(crate) async fn get(client: &Client, served: &Served, place: &Place) -> Result<Option<Value>, Unseen> {
    match Asked::new(Method::GET, served.object(place)).send(client).await {
        Ok((_, live)) => Ok(Some(live)),
        Err(Trouble::Said { code: 404, .. }) => Ok(None),
        Err(trouble) => Err(Unseen::from(trouble).told(|why| format!("{place}: {why}"))),
    }
}

/// The objects of a kind, in a namespace or in all of them.
pub(crate) async fn list(
    client: &Client,
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

    fn place(namespace: &str) -> Place {
        Place { group: "g".into(), kind: "Thing".into(), namespace: namespace.into(), name: "x".into() }
    }

    #[test]
    fn what_the_bundle_itself_brings_is_waited_for_and_all_else_is_refused() {
        let wishes = |kind: bool, namespace: bool| Wishes {
            known: BTreeMap::new(),
            odd: Vec::new(),
            kinds: kind.then(|| ("g".to_owned(), "Thing".to_owned())).into_iter().collect(),
            namespaces: namespace.then(|| "a".to_owned()).into_iter().collect(),
        };
        let said =
            |code, words: &str, about: &str| Trouble::Said { code, words: words.into(), about: about.into() };
        let no_namespace = said(404, "namespaces \"a\" not found", "namespaces");
        let no_kind = said(404, "the server could not find the requested resource", "");
        let leaving = said(403, "because it is being terminated", "things");
        for (trouble, kind, namespace, is_later) in [
            (&no_namespace, false, true, true),
            (&no_namespace, true, false, false),
            (&no_kind, true, false, true),
            (&no_kind, false, true, false),
            (&leaving, false, true, true),
            (&leaving, false, false, false),
            (&said(422, "bad", "things"), true, true, false),
        ] {
            let fit = wishes(kind, namespace).misfit(&place("a"), trouble);
            assert_eq!(fit == Fit::Later, is_later, "{trouble:?} {fit:?}");
            let is_told = matches!(&fit, Fit::Refused(why) if why.starts_with("Thing a/x: "));
            assert!(is_later || is_told, "it is named: {fit:?}");
        }
    }

    #[test]
    fn what_is_listed_says_its_type() {
        let served = Served {
            api_version: "g/v1".into(),
            kind: "Thing".into(),
            plural: "things".into(),
            is_namespaced: true,
            is_listed: true,
        };
        let item = typed(json!({ "metadata": { "name": "x", "namespace": "a" } }), &served);
        assert_eq!(Place::of(&item), Some(place("a")));
    }
}
