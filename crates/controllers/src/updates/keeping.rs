//! Contents and inventories in safe keeping: copies in the system's namespace, which no team can take away.

use std::collections::BTreeMap;
use std::sync::Arc;

use bowline_api::updates::{AllowedNamespaces, Bundle, Stack, StackStatus};
use bowline_api::{PART_SECRET_TYPE, SYSTEM_NAMESPACE};
use bowline_bundle::MAX_PART_BYTES;
use bowline_updates::{Content, Inventory};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::core::{Selector, SelectorExt};
use kube::{Api, Client};

use super::inventory;
use super::marks::STACK_UID;
use super::names::{StackName, Text, digest};
use super::target::of_home;
use super::unpack;
use super::unseen::Unseen;

/// The annotation that says what it is a part of.
const DIGEST: &str = "bowline.dev/digest";
/// The annotation that says how many parts there are.
const PARTS: &str = "bowline.dev/parts";
/// The key of its bytes.
const KEY: &str = "part";
/// Parts that may be under way.
const AT_ONCE: usize = 8;
/// What is younger may be about to be named by a status.
const YOUNG: std::time::Duration = std::time::Duration::from_secs(600);

/// A content that was asked for, or why it cannot be used.
pub(crate) type Usable = Result<Arc<Content<Text>>, String>;

/// Keeps contents and inventories.
pub(crate) struct Keeping {
    home: Client,
}

impl Keeping {
    pub(crate) fn new(home: Client) -> Keeping {
        Keeping { home }
    }

    /// A content: the copy that is kept, or what the team has brought, which is copied before anybody uses it. What is not
    /// admitted nobody is going to use: it is not copied.
    ///
    /// # Errors
    /// If the home does not say whether it is there.
    pub(crate) async fn content(
        &self,
        stack: &StackName,
        uid: &str,
        digest: &str,
        is_admitted: bool,
    ) -> Result<Usable, String> {
        let kept = self.kept(uid, digest).await?;
        let read = |parts: &[Vec<u8>]| unpack::content(digest, parts);
        if let Some(Ok(content)) = kept.as_deref().map(read) {
            return Ok(Ok(content));
        }
        let parts = match self.brought(stack, digest).await {
            Ok(Ok(parts)) => parts,
            Ok(Err(why)) | Err(Unseen::Forbidden(why)) => return Ok(Err(why)),
            Err(unseen) => return Err(unseen.into()),
        };
        let content = read(&parts).map_err(|why| format!("its bundle cannot be used: {why}"));
        if content.is_ok() && is_admitted {
            match self.keep(uid, digest, &parts).await {
                // What the home does not allow, it does not allow the next time: nobody need wait for it.
                Err(Unseen::Forbidden(why)) => return Ok(Err(why)),
                kept => kept?,
            }
            self.tidy(stack, uid, digest).await;
        }
        Ok(content)
    }

    /// The parts that the team has brought, each as its digest says.
    async fn brought(&self, stack: &StackName, of: &str) -> Result<Result<Vec<Vec<u8>>, String>, Unseen> {
        let StackName { namespace, .. } = stack;
        let bundles: Api<Bundle> = Api::namespaced(self.home.clone(), namespace);
        let found = of_home(bundles.get_opt(&of.replace(':', "-"))).await;
        let Some(bundle) = found.map_err(unreadable)? else {
            let why = format!("there is no Bundle {of} in the namespace {namespace}: submit it again");
            return Ok(Err(why));
        };
        let secrets: Api<Secret> = Api::namespaced(self.home.clone(), namespace);
        let parts = stream::iter(bundle.spec.parts.into_iter().map(|part| {
            let secrets = secrets.clone();
            async move {
                let name = part.digest.as_str().replace(':', "-");
                let found = of_home(secrets.get_opt(&name)).await.map_err(unreadable)?;
                let bytes = found.and_then(bytes);
                Ok::<_, Unseen>(bytes.filter(|bytes| digest(bytes) == part.digest.as_str()).ok_or(name))
            }
        }));
        let parts: Vec<_> = parts.buffered(AT_ONCE).try_collect().await?;
        let parts: Result<_, _> = parts.into_iter().collect();
        Ok(parts.map_err(|name| {
            format!("the part {name} of its bundle is not there, or not what it says: submit it again")
        }))
    }

    /// An inventory that was kept.
    ///
    /// # Errors
    /// If it cannot be read, or is not there.
    pub(crate) async fn inventory(&self, uid: &str, of: &str) -> Result<Arc<Inventory<Text>>, Unseen> {
        let lost = |why: &str| Unseen::Wrong(format!("the list {of} of what was touched {why}"));
        let parts = self.kept(uid, of).await?.ok_or_else(|| lost("is not kept any more"))?;
        let text = parts.concat();
        if digest(&text) != of {
            return Err(lost("is not what was kept"));
        }
        inventory::read(&text).map(Arc::new).map_err(|why| lost(&format!("cannot be read: {why}")))
    }

    /// Keeps an inventory.
    ///
    /// # Errors
    /// If the home does not take it.
    pub(crate) async fn store(&self, uid: &str, inventory: &Inventory<Text>) -> Result<String, String> {
        let text = inventory::text(inventory);
        let of = digest(&text);
        let parts: Vec<_> = text.chunks(MAX_PART_BYTES).map(<[u8]>::to_vec).collect();
        self.keep(uid, &of, &parts).await?;
        Ok(of)
    }

    async fn kept(&self, uid: &str, of: &str) -> Result<Option<Vec<Vec<u8>>>, Unseen> {
        let secrets = self.secrets();
        let failed = |why: Unseen| why.told(|why| format!("what is kept cannot be read: {why}"));
        let Some(first) = of_home(secrets.get_opt(&name(uid, of, 0))).await.map_err(failed)? else {
            return Ok(None);
        };
        let count = first.metadata.annotations.as_ref().and_then(|all| all.get(PARTS)?.parse().ok());
        let rest = stream::iter((1..count.unwrap_or(1)).map(|index| {
            let (secrets, name) = (secrets.clone(), name(uid, of, index));
            async move { of_home(secrets.get_opt(&name)).await }
        }));
        let rest: Vec<_> = rest.buffered(AT_ONCE).try_collect().await.map_err(failed)?;
        Ok([Some(first)].into_iter().chain(rest).map(|part| part.and_then(bytes)).collect())
    }

    /// Keeps parts. The first comes last: who finds it finds all of them.
    async fn keep(&self, uid: &str, of: &str, parts: &[Vec<u8>]) -> Result<(), Unseen> {
        let count = parts.len();
        let put = |index: usize| {
            let secret = secret(uid, of, index, count, parts[index].clone());
            let secrets = self.secrets();
            async move {
                let made = async {
                    match secrets.create(&PostParams::default(), &secret).await {
                        Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
                        made => made.map(drop),
                    }
                };
                of_home(made).await
            }
        };
        let failed =
            |why: Unseen| why.told(|why| format!("a copy cannot be kept in {SYSTEM_NAMESPACE}: {why}"));
        stream::iter((1..count).map(put))
            .buffer_unordered(AT_ONCE)
            .try_collect::<Vec<_>>()
            .await
            .map_err(failed)?;
        if count > 0 { put(0).await.map_err(failed) } else { Ok(()) }
    }

    /// Removes what no status names any more, but for what was just stored, as far as that can be done.
    pub(crate) async fn tidy(&self, stack: &StackName, uid: &str, stored: &str) {
        let stacks: Api<Stack> = Api::namespaced(self.home.clone(), &stack.namespace);
        let Ok(Some(found)) = of_home(stacks.get_opt(&stack.name)).await else { return };
        let Some(status) = found.status.filter(|_| found.metadata.uid.as_deref() == Some(uid)) else {
            return;
        };
        let mut named = named(&status);
        named.push(stored.to_owned());
        let ours = ListParams::default().labels(&format!("{STACK_UID}={uid}"));
        let Ok(all) = of_home(self.secrets().list_metadata(&ours)).await else { return };
        let now = k8s_openapi::jiff::Timestamp::now();
        for part in all.items {
            let of = part.metadata.annotations.as_ref().and_then(|all| all.get(DIGEST));
            let made = part.metadata.creation_timestamp.map(|time| time.0);
            let is_old = made.is_some_and(|made| now.duration_since(made).unsigned_abs() > YOUNG);
            if is_old && of.is_some_and(|of| !named.contains(of)) {
                self.remove(&part.metadata.name.unwrap_or_default()).await;
            }
        }
    }

    /// Removes all that is kept for a stack.
    ///
    /// # Errors
    /// If the home does not say that it is gone.
    pub(crate) async fn forget(&self, uid: &str) -> Result<(), String> {
        let ours = ListParams::default().labels(&format!("{STACK_UID}={uid}"));
        let gone = of_home(self.secrets().delete_collection(&DeleteParams::default(), &ours)).await;
        gone.map(drop).map_err(|why| format!("what is kept in {SYSTEM_NAMESPACE} cannot be removed: {why}"))
    }

    async fn remove(&self, name: &str) {
        if let Err(why) = of_home(self.secrets().delete(name, &DeleteParams::default())).await {
            tracing::warn!(name, %why, "what nobody needs any more cannot be removed");
        }
    }

    /// Whether there is no such stack any more. Whoever is not sure says no.
    pub(crate) async fn is_gone(&self, stack: &str, uid: &str) -> bool {
        let Some((namespace, name)) = stack.split_once('/') else { return false };
        let stacks: Api<Stack> = Api::namespaced(self.home.clone(), namespace);
        // Its metadata: one whose status cannot be read is there all the same.
        let found = of_home(stacks.get_metadata_opt(name)).await;
        found.is_ok_and(|found| found.is_none_or(|found| found.metadata.uid.as_deref() != Some(uid)))
    }

    /// Whether the stacks of a namespace may use a cluster.
    ///
    /// # Errors
    /// If the namespace cannot be read.
    pub(crate) async fn is_allowed(
        &self,
        allowed: Option<&AllowedNamespaces>,
        namespace: &str,
    ) -> Result<bool, String> {
        let Some(allowed) = allowed else { return Ok(false) };
        let Some(selector) = &allowed.selector else {
            return Ok(allowed.names.iter().any(|name| name.as_str() == namespace));
        };
        let Ok(selector) = Selector::try_from(selector.clone()) else { return Ok(false) };
        let namespaces: Api<Namespace> = Api::all(self.home.clone());
        let found = of_home(namespaces.get_opt(namespace)).await;
        let found = found.map_err(|why| format!("the namespace {namespace} cannot be read: {why}"))?;
        Ok(found.is_some_and(|found| selector.matches(&found.metadata.labels.unwrap_or_default())))
    }

    fn secrets(&self) -> Api<Secret> {
        Api::namespaced(self.home.clone(), SYSTEM_NAMESPACE)
    }
}

fn unreadable(why: Unseen) -> Unseen {
    why.told(|why| format!("its bundle cannot be read: {why}"))
}

/// The digests that a status names.
fn named(status: &StackStatus) -> Vec<String> {
    let good = status.last_good.iter().map(|good| &good.digest);
    let requests = status.requests.iter().map(|request| &request.digest);
    good.chain(requests).chain(&status.inventory).map(ToString::to_string).collect()
}

fn name(uid: &str, of: &str, index: usize) -> String {
    format!("{uid}.{}.{index}", of.replace(':', "-"))
}

fn secret(uid: &str, of: &str, index: usize, count: usize, bytes: Vec<u8>) -> Secret {
    Secret {
        metadata: ObjectMeta {
            name: Some(name(uid, of, index)),
            labels: Some(BTreeMap::from([(STACK_UID.into(), uid.into())])),
            annotations: Some(BTreeMap::from([
                (DIGEST.into(), of.into()),
                (PARTS.into(), count.to_string()),
            ])),
            ..ObjectMeta::default()
        },
        type_: Some(PART_SECRET_TYPE.into()),
        immutable: Some(true),
        data: Some(BTreeMap::from([(KEY.into(), ByteString(bytes))])),
        ..Secret::default()
    }
}

/// The bytes of a part.
fn bytes(secret: Secret) -> Option<Vec<u8>> {
    secret.data?.into_values().next().map(|ByteString(bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use bowline_api::updates::{LastGood, Request};
    use bowline_bundle::{Manifest, pack};
    use serde_json::json;

    use super::super::fake::{Fake, missing};
    use super::*;

    #[test]
    fn a_status_names_all_that_may_be_needed() {
        let request = |digest: &str| Request { digest: digest.into(), ..Request::default() };
        let status = StackStatus {
            last_good: Some(LastGood { digest: "good".into(), ..LastGood::default() }),
            requests: vec![request("next"), request("now")],
            inventory: Some("touched".into()),
            ..StackStatus::default()
        };
        assert_eq!(named(&status), ["good", "next", "now", "touched"]);
    }

    #[test]
    fn a_part_is_kept_for_its_stack_and_cannot_be_changed() {
        let kept = secret("u", "sha256:1", 2, 3, b"bytes".to_vec());
        let meta = &kept.metadata;
        assert_eq!(meta.name.as_deref(), Some("u.sha256-1.2"));
        assert_eq!(meta.labels.as_ref().and_then(|all| all.get(STACK_UID)).map(String::as_str), Some("u"));
        assert_eq!((kept.immutable, kept.type_.as_deref()), (Some(true), Some(PART_SECRET_TYPE)));
        assert_eq!(bytes(kept), Some(b"bytes".to_vec()));
    }

    /// A digest, and its bundle and part as a home has them.
    fn brought() -> (String, serde_json::Value, serde_json::Value) {
        let body = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" } });
        let packed = pack(&[Manifest::new(body).expect("a manifest")]).expect("a bundle");
        let of = packed.spec.digest.to_string();
        let bundle = serde_json::to_value(Bundle::new("b", packed.spec)).expect("JSON");
        let part = serde_json::to_value(bowline_bundle::secret(&packed.parts[0])).expect("JSON");
        (of, bundle, part)
    }

    /// Who waits for what its home does not allow keeps a rollback waiting.
    #[tokio::test]
    async fn what_the_home_does_not_allow_cannot_be_used_and_is_not_waited_for() {
        let (of, bundle, part) = brought();
        let stack = StackName { namespace: "a".into(), name: "shop".into() };
        for (refused, code, is_told) in
            [("GET a", 403, true), ("POST", 403, true), ("GET a", 500, false), ("POST", 401, false)]
        {
            let (bundle, part) = (bundle.clone(), part.clone());
            let home = Fake::new(move |asked| {
                let no = (code, json!({ "kind": "Status", "code": code, "message": "exceeded quota" }));
                match asked.what.as_str() {
                    what if what.contains(SYSTEM_NAMESPACE) && what.starts_with("GET") => missing(),
                    what if what.contains(SYSTEM_NAMESPACE) && refused == "POST" => no,
                    what if what.contains(SYSTEM_NAMESPACE) => (201, part.clone()),
                    what if what.contains("/bundles/") => (200, bundle.clone()),
                    what if what.contains("/secrets/") && refused != "POST" => no,
                    what if what.contains("/secrets/") => (200, part.clone()),
                    _ => missing(),
                }
            });
            let said = Keeping::new(home.client.clone()).content(&stack, "u", &of, true).await;
            let why = said.as_ref().ok().and_then(|usable| usable.as_ref().err());
            assert_eq!(why.is_some_and(|why| why.contains("exceeded quota")), is_told, "{refused} {said:?}");
            assert_eq!(said.is_err(), !is_told, "{refused} {code}");
        }
    }

    #[tokio::test]
    async fn what_is_not_admitted_is_read_and_not_kept() {
        let (of, bundle, part) = brought();
        let stack = StackName { namespace: "a".into(), name: "shop".into() };
        for is_admitted in [false, true] {
            let (bundle, part) = (bundle.clone(), part.clone());
            let home = Fake::new(move |asked| match asked.what.as_str() {
                what if what.contains(SYSTEM_NAMESPACE) && what.starts_with("GET") => missing(),
                what if what.contains(SYSTEM_NAMESPACE) => (201, part.clone()),
                what if what.contains("/bundles/") => (200, bundle.clone()),
                what if what.contains("/secrets/") => (200, part.clone()),
                _ => missing(),
            });
            let keeping = Keeping::new(home.client.clone());
            let content = keeping.content(&stack, "u", &of, is_admitted).await.expect("it is said");
            assert_eq!(content.expect("a content").0.len(), 1);
            let kept = home.heard().iter().filter(|what| what.starts_with("POST")).count();
            assert_eq!(kept, usize::from(is_admitted), "{:?}", home.heard());
            let looks = home.heard().iter().any(|what| what.ends_with("/stacks/shop"));
            assert_eq!(looks, is_admitted, "what is kept is followed by a look for what is not needed");
        }
    }
}
