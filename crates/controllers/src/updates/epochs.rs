//! What stacks know of who has led.

use bowline_api::updates::Stack;
use bowline_control::lease::Epoch;
use kube::api::{ApiResource, DynamicObject, ListParams};
use kube::{Api, Client};

use super::target::of_home;
use super::unseen::Unseen;

/// How many stacks are listed at a time.
const PAGE: u32 = 500;

/// The latest epoch that any stack knows: an earlier one may not act on it.
///
/// It is the Lease that counts epochs, and the Lease may have been deleted while nobody was there who knew it.
///
/// # Errors
/// If the stacks cannot be listed.
pub(crate) async fn latest_epoch(home: &Client) -> Result<Epoch, Unseen> {
    let kind = ApiResource::erase::<Stack>(&());
    let stacks: Api<DynamicObject> = Api::all_with(home.clone(), &kind);
    let (mut latest, mut page) = (0, ListParams::default().limit(PAGE));
    loop {
        let listed = async {
            match stacks.list(&page).await {
                // There is no such kind yet.
                Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
                listed => listed.map(Some),
            }
        };
        let Some(list) = of_home(listed).await? else { return Ok(Epoch::default()) };
        let known = list.items.iter().filter_map(|stack| stack.data["status"]["epoch"].as_u64());
        latest = known.fold(latest, u64::max);
        match list.metadata.continue_.filter(|more| !more.is_empty()) {
            Some(more) => page = page.continue_token(&more),
            None => return Ok(Epoch(latest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fake::Fake;
    use super::*;

    #[tokio::test]
    async fn it_is_the_latest_of_all_pages_whatever_else_they_say() {
        let stack = |epoch: Option<u64>| {
            json!({
                "apiVersion": "bowline.dev/v1alpha1", "kind": "Stack", "metadata": { "name": "a" },
                "spec": "odd", "status": epoch.map(|epoch| json!({ "epoch": epoch })),
            })
        };
        let server = Fake::new(move |asked| {
            let (items, more) = if asked.query.contains("continue=next") {
                (vec![stack(Some(3))], "")
            } else {
                (vec![stack(None), stack(Some(7))], "next")
            };
            (
                200,
                json!({ "apiVersion": "bowline.dev/v1alpha1", "kind": "StackList", "metadata": { "continue": more }, "items": items }),
            )
        });
        assert_eq!(latest_epoch(&server.client).await.expect("a list"), Epoch(7));
        assert_eq!(server.heard().len(), 2, "{:?}", server.heard());
    }

    #[tokio::test]
    async fn nobody_has_led_where_there_are_no_stacks() {
        let status = json!({ "kind": "Status", "apiVersion": "v1", "code": 404, "status": "Failure", "reason": "NotFound", "message": "no" });
        let server = Fake::new(move |_| (404, status.clone()));
        assert_eq!(latest_epoch(&server.client).await.expect("an answer"), Epoch(0));
    }
}
