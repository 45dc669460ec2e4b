//! A look at a cluster: what is there, and what its server would make of what is wanted.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bowline_updates::{Content, Fit, Health, Inventory, Live, Sight, Sights, Wanted, Whose};
use futures::future::BoxFuture;
use http::Method;
use serde_json::Value;

use super::album::Album;
use super::brought::{Brought, by_schema, is_definition};
use super::fields::{differing, fits};
use super::health::health;
use super::inspect::{get, list};
use super::keeping::Keeping;
use super::kinds::{Kinds, Served};
use super::marks::{Actor, MANAGER, STACK_UID, read, said, stack_of};
use super::names::{Place, Text};
use super::refused::{MADE_ANEW, is_fixed, unknown};
use super::request::{Asked, Trouble, Way};
use super::spared::{is_shared, spared};
use super::target::of_home;
use super::together::{all, try_all};
use super::unseen::Unseen;

/// How often an object is seen and tried again that others write to.
const TRIES: usize = 3;

/// What to do about an object whose stack is not on this hub. Nobody can know here that it is not on another.
const LEFT_BEHIND: &str = "which is not on this hub: if it is gone, submit to a stack of its name, or take the label bowline.dev/stack-uid off the object";

/// Who looks, and where.
pub(crate) struct Eyes<'a> {
    pub(crate) client: Way<'a>,
    pub(crate) kinds: &'a Kinds,
    pub(crate) actor: &'a Actor,
    pub(crate) keeping: &'a Keeping,
    /// Where objects are kept whole, if anybody wants to see them so.
    pub(crate) album: Option<&'a Album>,
}

/// Whether these kinds are all that is needed for a content, and for what was touched: what is of a kind that nobody knows would
/// be taken for gone.
pub(crate) fn is_enough(kinds: &Kinds, content: &Content<Text>, inventory: &Inventory<Text>) -> bool {
    content.0.iter().all(|(place, wanted)| kinds.exact(place, api_version(&wanted.body)).is_some())
        && inventory.0.keys().all(|place| kinds.preferred(place).is_some())
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
    brought: Brought<'a>,
}

/// What a server makes of something that it is to try.
enum Tried {
    Is {
        is_new: bool,
        object: Value,
    },
    /// Nothing: it says no, or cannot say.
    Not(Trouble),
}

impl Tried {
    /// Whether it is about the object that was seen. What nobody has said to be ours may be somebody's, and has to be seen.
    fn rests_on(&self, live: Option<&Value>) -> bool {
        let version = |object: &Value| object["metadata"]["resourceVersion"].as_str().map(ToOwned::to_owned);
        match (self, live) {
            (Tried::Is { is_new, .. }, None) => *is_new,
            // A server that does not say what it rests on is taken at its word.
            (Tried::Is { is_new, object }, Some(live)) => {
                !is_new && version(object).is_none_or(|tried| Some(tried) == version(live))
            }
            (Tried::Not(_), live) => live.is_some(),
        }
    }
}

impl Eyes<'_> {
    /// Everything that is wanted, was touched, or says that it is the stack's.
    pub(crate) async fn look(
        &self,
        content: &Content<Text>,
        inventory: &Inventory<Text>,
    ) -> Result<Arc<Sights<Text>>, Unseen> {
        let mut wishes = self.wishes(content);
        let ours = self.ours(&wishes, inventory).await?;
        let mut sights: Sights<Text> = BTreeMap::new();
        // What was touched, and does not say that it is ours any more, is left alone: it need not be seen.
        let touched = inventory.0.keys().filter(|place| !content.0.contains_key(*place));
        sights.extend(touched.map(|place| (place.clone(), self.now(place, &wishes))));
        sights.extend(
            wishes.odd.iter().map(|(place, fit)| ((*place).clone(), Sight { live: None, fit: fit.clone() })),
        );
        let (definitions, others): (Vec<_>, Vec<_>) =
            wishes.known.iter().partition(|(settled, _)| is_definition(settled));
        sights.extend(self.try_each(&wishes, &ours, &definitions).await?);
        // By which schema an object is judged depends on whether its definition is as it should be.
        wishes.brought.are_seen(&sights);
        sights.extend(self.try_each(&wishes, &ours, &others).await?);
        let left = ours.iter().filter(|(settled, _)| !wishes.known.contains_key(*settled));
        let left = left.map(|(settled, live)| (settled, live, wishes.in_it(settled, live)));
        // The inventory may have said it without its namespace.
        for (settled, sight) in self.unwanted(left.collect()).await {
            let said = inventory.0.keys().find(|place| self.is_at(place, &settled));
            let place = said.unwrap_or(&settled);
            if let Some(album) = self.album {
                album.keep(place, ours.get(&settled), None);
            }
            sights.insert(place.clone(), sight);
        }
        Ok(Arc::new(sights))
    }

    /// What became of something that was touched, and that no content wants by this name: it may say in other words where it is,
    /// with a namespace that is the usual one, or that its kind does not have.
    fn now(&self, place: &Place, wishes: &Wishes<'_>) -> Sight<Text> {
        let settled = self.kinds.preferred(place).map(|served| served.settled(place));
        let wish = settled.and_then(|settled| wishes.known.get(&settled));
        match wish {
            Some((now, ..)) => Sight { live: None, fit: Fit::Elsewhere((*now).clone()) },
            None => Sight::nothing(),
        }
    }

    /// What its server would make of each of these.
    async fn try_each(
        &self,
        wishes: &Wishes<'_>,
        ours: &BTreeMap<Place, Value>,
        those: &[(&Place, &Wish<'_>)],
    ) -> Result<Vec<(Place, Sight<Text>)>, Unseen> {
        let mut wanted: Vec<BoxFuture<'_, Result<_, Unseen>>> = Vec::new();
        for (settled, wish) in those.iter().copied() {
            let live = ours.get(settled);
            let sight = async move { Ok((wish.0.clone(), self.try_one(wishes, settled, wish, live).await?)) };
            wanted.push(Box::pin(sight));
        }
        try_all(wanted).await
    }

    fn is_at(&self, place: &Place, settled: &Place) -> bool {
        place == settled
            || (place.kind == settled.kind
                && self.kinds.preferred(place).is_some_and(|served| served.settled(place) == *settled))
    }

    fn wishes<'a>(&'a self, content: &'a Content<Text>) -> Wishes<'a> {
        let brought = Brought::by(content);
        let mut wishes = Wishes { known: BTreeMap::new(), odd: Vec::new(), brought };
        for (place, wanted) in &content.0 {
            let Some(served) = self.kinds.exact(place, api_version(&wanted.body)) else {
                let definition = wishes.brought.kind(place);
                let fit = definition.map_or_else(
                    || unknown(place, &wanted.body),
                    |definition| by_schema(definition, place, &wanted.body),
                );
                wishes.odd.push((place, fit));
                continue;
            };
            if !served.is_deleted {
                let why = format!(
                    "{place}: the cluster keeps no objects of its kind, and answers instead: it is none to be applied"
                );
                wishes.odd.push((place, Fit::Refused(why)));
                continue;
            }
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
        let mut lists: Vec<BoxFuture<'_, _>> = Vec::new();
        for served in self.listed(wishes, inventory) {
            lists.push(Box::pin(self.labelled(served)));
        }
        let found =
            try_all(lists).await?.into_iter().flatten().filter(|live| self.actor.whose(live) == Whose::Ours);
        let mut ours = BTreeMap::new();
        for live in found {
            let Some(place) = Place::of(&live) else { continue };
            // What is wanted is compared in the version that it is wanted in.
            let wish = wishes.known.get(&place);
            if wish.is_none_or(|(_, _, served)| served.api_version == api_version(&live)) {
                ours.insert(place, live);
            }
        }
        Ok(ours)
    }

    /// The kinds that are wanted, each in all versions that it is wanted in, and those that were touched.
    fn listed<'a>(&'a self, wishes: &Wishes<'a>, inventory: &Inventory<Text>) -> BTreeSet<&'a Served> {
        let wanted = wishes.known.values().map(|(_, _, served)| *served);
        let mut kinds: BTreeSet<_> = wanted.filter(|served| served.is_listed).collect();
        let touched = inventory.0.keys().filter_map(|place| self.kinds.preferred(place));
        for served in touched.filter(|served| served.is_listed) {
            if !kinds.iter().any(|known| known.is_kind_of(served)) {
                kinds.insert(served);
            }
        }
        kinds
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
        let mut live = ours.map(Cow::Borrowed);
        let mut tried = self.tried(settled, wanted, served, live.as_deref()).await?;
        // What was seen, and what was tried, must be of one time: while anything is rolled out, others write to it in between.
        for _ in 0..TRIES {
            if tried.rests_on(live.as_deref()) {
                break;
            }
            live = get(self.client, served, settled).await?.map(Cow::Owned);
            if matches!(tried, Tried::Not(_)) || tried.rests_on(live.as_deref()) {
                break;
            }
            tried = self.tried(settled, wanted, served, live.as_deref()).await?;
        }
        if let Some(album) = self.album {
            let tried = if let Tried::Is { object, .. } = &tried { Some(object) } else { None };
            album.keep(place, live.as_deref(), tried);
        }
        let fit = match (&tried, live.as_deref()) {
            (Tried::Not(why), live) => match wishes.misfit(settled, &wanted.body, why) {
                Fit::Later if live.is_none() && served.is_namespaced => match wishes.brought.comes(settled) {
                    // Elsewhere it would be judged by the definition as it is now.
                    Some(definition) => by_schema(definition, settled, &wanted.body),
                    None => self.elsewhere(served, settled, &wanted.body).await,
                },
                fit => fit,
            },
            (Tried::Is { object, .. }, Some(live)) if fits(live, object, ours.is_some()) => Fit::Same,
            (Tried::Is { object, .. }, Some(live)) => Fit::Differs(differing(live, object)),
            (Tried::Is { .. }, None) => Fit::Differs(String::new()),
        };
        let Some(live) = live else { return Ok(Sight { live: None, fit }) };
        let mut seen = self.live(&live, true);
        if let Whose::Anothers(who) = &seen.whose
            && self.is_left_behind(&live).await
        {
            seen.whose = Whose::Anothers(format!("{who}, {LEFT_BEHIND}"));
        }
        Ok(Sight { live: Some(seen), fit })
    }

    /// Whether an object is of a stack that this hub does not have: it may be gone, or another hub's.
    async fn is_left_behind(&self, live: &Value) -> bool {
        match stack_of(live) {
            Some((stack, uid)) => self.keeping.is_gone(stack, uid).await,
            None => false,
        }
    }

    /// Has the server try it.
    async fn tried(
        &self,
        settled: &Place,
        wanted: &Wanted<Text>,
        served: &Served,
        live: Option<&Value>,
    ) -> Result<Tried, Unseen> {
        let ours = live.filter(|live| self.actor.whose(live) == Whose::Ours);
        let body = self.actor.marked(&wanted.body, settled, ours.map(read).as_ref());
        let tried = Asked::new(Method::PATCH, served.object(settled))
            .with("dryRun", "All")
            .with("fieldManager", MANAGER)
            .with("force", "true")
            .with("fieldValidation", "Strict")
            .body("application/apply-patch+yaml", &body);
        match tried.send(self.client).await {
            Ok((is_new, object)) => Ok(Tried::Is { is_new, object }),
            Err(Trouble::Silence(why)) => Err(Unseen::Silent(format!("{settled}: {why}"))),
            Err(trouble) => Ok(Tried::Not(trouble)),
        }
    }

    /// What is ours, and nobody wants; and why it stays all the same, if something that is wanted would go with it.
    pub(crate) async fn unwanted(
        &self,
        left: Vec<(&Place, &Value, Option<String>)>,
    ) -> Vec<(Place, Sight<Text>)> {
        // Others may have brought kinds since the cluster was asked last.
        let is_shared = left.iter().any(|(settled, ..)| is_shared(settled));
        let kinds =
            if is_shared { self.kinds_now().await } else { Err(Unseen::Wrong("nobody has asked".into())) };
        let mut sights: Vec<BoxFuture<'_, _>> = Vec::new();
        for (settled, live, in_it) in left {
            let kinds = &kinds;
            sights.push(Box::pin(async move {
                let spared = match in_it {
                    Some(wanted) => Some(wanted),
                    None => spared(self, kinds, settled, live).await,
                };
                let live = Live { spared, ..self.live(live, false) };
                (settled.clone(), Sight { live: Some(live), fit: Fit::Same })
            }));
        }
        all(sights).await
    }

    async fn kinds_now(&self) -> Result<Kinds, Unseen> {
        let kinds = of_home(Kinds::of(self.client.client)).await;
        kinds.map_err(|why| why.told(|why| format!("its server does not say its kinds: {why}")))
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
    /// What would go with an object, and is wanted.
    fn in_it(&self, place: &Place, live: &Value) -> Option<String> {
        let is_in_it = |settled: &Place| match place.kind.as_str() {
            _ if !is_shared(place) => false,
            "Namespace" => settled.namespace == place.name,
            _ => {
                let spec = &live["spec"];
                spec["group"] == settled.group.as_str() && spec["names"]["kind"] == settled.kind.as_str()
            }
        };
        let wanted = self.known.keys().find(|settled| is_in_it(settled))?;
        Some(format!("it holds {wanted}, which is wanted"))
    }

    /// Why a server does not take what is wanted.
    fn misfit(&self, place: &Place, body: &Value, why: &Trouble) -> Fit<Text> {
        let Trouble::Said { code, words, about } = why else {
            return Fit::Untried(format!("{place}: {}", why.words()));
        };
        let brings_namespace = self.brought.namespaces.contains(&place.namespace);
        let brings_kind = self.brought.kind(place).is_some();
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
            // Its server judges it by the definition that it has now.
            (400 | 422 | 500, _) if let Some(definition) = self.brought.comes(place) => {
                by_schema(definition, place, body)
            }
            (403, _) if is_leaving && brings_namespace => Fit::Later,
            (422, _) if is_fixed(words) => Fit::Refused(format!("{place}: {words}{MADE_ANEW}")),
            _ => Fit::Refused(format!("{place}: {words}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use bowline_updates::Origin;
    use serde_json::json;

    use super::super::fake::{ALL, Fake, Has, actor, kinds, missing};
    use super::*;

    fn place(namespace: &str) -> Place {
        Place { group: "g".into(), kind: "Thing".into(), namespace: namespace.into(), name: "x".into() }
    }

    #[test]
    fn what_the_bundle_itself_brings_is_waited_for_and_all_else_is_refused() {
        let wishes = |kind: bool, namespace: bool| Wishes {
            known: BTreeMap::new(),
            odd: Vec::new(),
            brought: Brought {
                kinds: kind
                    .then(|| (("g".to_owned(), "Thing".to_owned()), &Value::Null))
                    .into_iter()
                    .collect(),
                settled: [("g".to_owned(), "Thing".to_owned())].into(),
                namespaces: namespace.then(|| "a".to_owned()).into_iter().collect(),
            },
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
            let fit = wishes(kind, namespace).misfit(&place("a"), &Value::Null, trouble);
            assert_eq!(fit == Fit::Later, is_later, "{trouble:?} {fit:?}");
            let is_told = matches!(&fit, Fit::Refused(why) if why.starts_with("Thing a/x: "));
            assert!(is_later || is_told, "it is named: {fit:?}");
        }
    }

    #[test]
    fn who_cannot_change_an_object_is_told_what_to_do() {
        let wishes = Wishes { known: BTreeMap::new(), odd: Vec::new(), brought: Brought::default() };
        for (words, is_fixed) in [
            ("spec.template: Invalid value: {}: field is immutable", true),
            ("spec: Forbidden: spec is immutable after creation except resources.requests", true),
            ("spec.clusterIPs[0]: Invalid value: []: may not change once set", true),
            ("roleRef: Invalid value: {}: cannot change roleRef", true),
            (
                "spec: Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden",
                true,
            ),
            ("spec.ports[0].port: Invalid value: 0: must be between 1 and 65535", false),
        ] {
            let trouble = Trouble::Said { code: 422, words: words.into(), about: "things".into() };
            let Fit::Refused(told) = wishes.misfit(&place("a"), &Value::Null, &trouble) else {
                panic!("it is refused")
            };
            assert!(told.starts_with(&format!("Thing a/x: {words}")), "{told}");
            assert_eq!(told.contains("give it another name, or delete it"), is_fixed, "{told}");
        }
    }

    /// The server knows the kind as it was.
    #[tokio::test]
    async fn what_its_definition_is_about_to_allow_is_judged_by_that() {
        const HAS: &[Has<'_>] = &[
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", false, ALL),
            ("g/v1", "Thing", "things", true, ALL),
        ];
        let thing = |field: &str| json!({ "apiVersion": "g/v1", "kind": "Thing", "metadata": { "name": field, "namespace": "a" }, "spec": { field: 1 } });
        let definition = |field: &str| {
            let spec = json!({ "type": "object", "properties": { field: { "type": "integer" } } });
            let schema = json!({ "type": "object", "properties": { "spec": spec } });
            json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "things.g" },
                "spec": { "group": "g", "names": { "kind": "Thing" }, "versions": [
                    { "name": "v1", "served": true, "schema": { "openAPIV3Schema": schema } },
                ] },
            })
        };
        for (is_there, later) in
            [(false, Fit::Later), (true, Fit::Refused("Thing a/new: unknown field".into()))]
        {
            let server = Fake::new(move |asked| {
                let live = definition(if is_there { "new" } else { "old" });
                let place = Place::of(&live).expect("a place");
                match asked.what.as_str() {
                    _ if asked.query.contains("labelSelector") => (200, json!({ "items": [] })),
                    what if what.contains("customresourcedefinitions") => {
                        let tried = what.starts_with("PATCH") && !is_there;
                        (200, actor().marked(&if tried { definition("new") } else { live }, &place, None))
                    }
                    what if what.starts_with("GET") => missing(),
                    _ => (400, json!({ "message": "unknown field" })),
                }
            });
            let fit = fits(&server, HAS, &[definition("new"), thing("new"), thing("odd")]).await;
            assert_eq!(fit[1], later, "{is_there}");
            assert!(matches!(&fit[2], Fit::Refused(_)), "{is_there} {:?}", fit[2]);
        }
    }

    const MAP: Has<'_> = ("v1", "ConfigMap", "configmaps", true, ALL);

    fn content(bodies: &[Value]) -> Content<Text> {
        let wanted = bodies
            .iter()
            .map(|body| (Place::of(body).expect("a place"), Wanted { wave: 2, body: body.clone() }));
        Content(wanted.collect())
    }

    /// How what is wanted suits a server.
    async fn fits(server: &Fake, has: &'static [Has<'static>], bodies: &[Value]) -> Vec<Fit<Text>> {
        seen(server, has, bodies).await.values().map(|sight| sight.fit.clone()).collect()
    }

    async fn seen(server: &Fake, has: &'static [Has<'static>], bodies: &[Value]) -> Arc<Sights<Text>> {
        let (kinds, actor, keeping) = (kinds(has).await, actor(), Keeping::new(server.client.clone()));
        let eyes =
            Eyes { client: server.way(), kinds: &kinds, actor: &actor, keeping: &keeping, album: None };
        eyes.look(&content(bodies), &Inventory::default()).await.expect("a look")
    }

    fn map(version: &str, data: &str, revision: &str) -> Value {
        let body = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x", "namespace": "a" }, "data": data });
        let mut live = actor().marked(&body, &Place::of(&body).expect("a place"), None);
        live["metadata"]["resourceVersion"] = version.into();
        live["metadata"]["annotations"]["revision"] = revision.into();
        live
    }

    #[tokio::test]
    async fn what_others_write_between_a_look_and_a_try_is_no_difference() {
        let server = Fake::new(|asked| match asked.what.split_once(' ').map(|(method, _)| method) {
            Some("GET") if asked.query.contains("labelSelector") => {
                (200, json!({ "items": [map("1", "d", "1")] }))
            }
            Some("GET") => (200, map("2", "d", "2")),
            _ => (200, map("2", "d", "2")),
        });
        assert_eq!(fits(&server, &[MAP], &[map("", "d", "")]).await, [Fit::Same]);
        assert_eq!(
            server.heard().len(),
            3,
            "it is seen once more, and not tried again: {:?}",
            server.heard()
        );
    }

    #[tokio::test]
    async fn an_object_that_others_write_all_the_time_does_not_hold_up_a_look() {
        let counted = std::sync::atomic::AtomicU64::new(1);
        let server = Fake::new(move |asked| {
            let now = counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_string();
            let live = map(&now, "d", &now);
            (200, if asked.query.contains("labelSelector") { json!({ "items": [live] }) } else { live })
        });
        assert_eq!(
            fits(&server, &[MAP], &[map("", "d", "")]).await,
            [Fit::Differs("metadata.annotations.revision".into())]
        );
        assert_eq!(server.heard().len(), 2 + 2 * TRIES, "{:?}", server.heard());
    }

    #[tokio::test]
    async fn what_is_refused_is_seen_once() {
        let server = Fake::new(|asked| match asked.what.split_once(' ').map(|(method, _)| method) {
            Some("GET") if asked.query.contains("labelSelector") => (200, json!({ "items": [] })),
            Some("GET") => (404, Value::Null),
            _ => (422, json!({ "message": "no" })),
        });
        let refused = Fit::Refused("ConfigMap a/x: no".into());
        assert_eq!(fits(&server, &[MAP], &[map("", "d", "")]).await, [refused]);
        assert_eq!(server.heard().len(), 3, "{:?}", server.heard());
    }

    #[tokio::test]
    async fn objects_of_a_kind_are_compared_each_in_the_version_that_is_wanted() {
        const OLD: Has<'_> = ("g/v1", "Scaler", "scalers", true, ALL);
        const NEW: Has<'_> = ("g/v2", "Scaler", "scalers", true, ALL);
        let scaler = |version: &str, name: &str| {
            let body = json!({ "apiVersion": format!("g/{version}"), "kind": "Scaler", "metadata": { "name": name, "namespace": "a" }, "spec": { "form": version } });
            actor().marked(&body, &Place::of(&body).expect("a place"), None)
        };
        let server = Fake::new(move |asked| {
            let version = if asked.what.contains("/g/v1/") { "v1" } else { "v2" };
            match asked.what.rsplit_once('/') {
                Some((_, "scalers")) => {
                    (200, json!({ "items": [scaler(version, "one"), scaler(version, "two")] }))
                }
                Some((_, name)) => (200, scaler(version, name)),
                None => (404, Value::Null),
            }
        });
        let wanted = [scaler("v1", "one"), scaler("v2", "two")];
        assert_eq!(fits(&server, &[OLD, NEW], &wanted).await, [Fit::Same, Fit::Same]);
    }

    #[tokio::test]
    async fn what_holds_something_that_is_wanted_stays() {
        const HAS: &[Has<'_>] = &[
            ("v1", "Namespace", "namespaces", false, ALL),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", false, ALL),
            ("g/v1", "Thing", "things", true, ALL),
            MAP,
        ];
        let ours = |body: Value| actor().marked(&body, &Place::of(&body).expect("a place"), None);
        let thing =
            json!({ "apiVersion": "g/v1", "kind": "Thing", "metadata": { "name": "x", "namespace": "a" } });
        let server = Fake::new(move |asked| match asked.what.as_str() {
            "GET /api/v1/namespaces" => {
                let namespaces = ["a", "b"].map(|name| {
                    ours(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }))
                });
                (200, json!({ "items": namespaces }))
            }
            "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions" => {
                let definition = json!({
                    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "things.g" },
                    "spec": { "group": "g", "names": { "kind": "Thing" } },
                });
                (200, json!({ "items": [ours(definition)] }))
            }
            what if what.starts_with("GET") && !what.ends_with("/x") => (200, json!({ "items": [] })),
            what if what.starts_with("GET") => missing(),
            _ => (201, json!({})),
        });
        let (kinds, actor, keeping) = (kinds(HAS).await, actor(), Keeping::new(server.client.clone()));
        let eyes =
            Eyes { client: server.way(), kinds: &kinds, actor: &actor, keeping: &keeping, album: None };
        let bare = |group: &str, kind: &str, name: &str| Place {
            group: group.into(),
            kind: kind.into(),
            namespace: String::new(),
            name: name.into(),
        };
        let all = [
            bare("", "Namespace", "a"),
            bare("", "Namespace", "b"),
            bare("apiextensions.k8s.io", "CustomResourceDefinition", "things.g"),
        ];
        let inventory = Inventory(all.iter().map(|place| (place.clone(), Origin::Created)).collect());
        let sights = eyes.look(&content(&[thing]), &inventory).await.expect("a look");
        let spared = all.map(|place| sights[&place].live.as_ref().expect("it is there").spared.clone());
        let why = Some("it holds Thing a/x, which is wanted".to_owned());
        assert_eq!(spared, [why.clone(), None, why]);
    }

    #[tokio::test]
    async fn what_was_touched_is_known_again_when_it_says_otherwise_where_it_is() {
        const ROLE: Has<'_> = ("g/v1", "Role", "roles", false, ALL);
        let map = |namespace: &str| {
            let mut body = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x" } });
            if !namespace.is_empty() {
                body["metadata"]["namespace"] = namespace.into();
            }
            body
        };
        let role = |namespace: &str| json!({ "apiVersion": "g/v1", "kind": "Role", "metadata": { "name": "r", "namespace": namespace } });
        let server = Fake::new(|asked| match asked.what.split_once(' ').map(|(method, _)| method) {
            Some("GET") if asked.query.contains("labelSelector") => (200, json!({ "items": [] })),
            Some("GET") => missing(),
            _ => (201, json!({})),
        });
        let (kinds, actor, keeping) =
            (kinds(&[MAP, ROLE]).await, actor(), Keeping::new(server.client.clone()));
        let eyes =
            Eyes { client: server.way(), kinds: &kinds, actor: &actor, keeping: &keeping, album: None };
        let at = |body: &Value| Place::of(body).expect("a place");
        let touched = [at(&map("")), at(&role("")), at(&map("b"))];
        let inventory = Inventory(touched.iter().map(|place| (place.clone(), Origin::Created)).collect());
        let wanted = [map("default"), role("somewhere")];
        let sights = eyes.look(&content(&wanted), &inventory).await.expect("a look");
        let fits: Vec<_> = touched.iter().map(|place| sights[place].fit.clone()).collect();
        let elsewhere = |body: &Value| Fit::Elsewhere(at(body));
        assert_eq!(fits, [elsewhere(&wanted[0]), elsewhere(&wanted[1]), Fit::Same]);

        let unknown = Place { kind: "Gone".into(), ..at(&map("")) };
        let inventory = Inventory([(unknown, Origin::Created)].into());
        assert!(is_enough(&kinds, &content(&wanted), &Inventory::default()));
        assert!(!is_enough(&kinds, &content(&wanted), &inventory), "its kind may have come since");
    }

    #[tokio::test]
    async fn what_is_of_a_stack_that_is_not_here_says_what_to_do() {
        for (home, is_here) in [
            (missing(), false),
            ((200, json!({ "metadata": { "name": "toy", "uid": "another" } })), false),
            ((200, json!({ "metadata": { "name": "toy", "uid": "9" } })), true),
            ((500, json!({ "message": "why" })), true),
        ] {
            let mut theirs = map("1", "d", "1");
            theirs["metadata"]["labels"][STACK_UID] = "9".into();
            theirs["metadata"]["annotations"]["bowline.dev/stack"] = "b/toy".into();
            let server = Fake::new(move |asked| match asked.what.as_str() {
                "GET /apis/bowline.dev/v1alpha1/namespaces/b/stacks/toy" => home.clone(),
                _ if asked.query.contains("labelSelector") => (200, json!({ "items": [] })),
                _ => (200, theirs.clone()),
            });
            let sights = seen(&server, &[MAP], &[map("", "d", "")]).await;
            let live = sights.values().next().and_then(|sight| sight.live.clone()).expect("it is there");
            let who =
                if is_here { "the stack b/toy".into() } else { format!("the stack b/toy, {LEFT_BEHIND}") };
            assert_eq!(live.whose, Whose::Anothers(who));
            assert_ne!(live.body, Value::Null, "what it said before is kept, to be given back");
        }
    }
}
