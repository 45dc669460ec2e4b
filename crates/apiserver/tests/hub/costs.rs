//! What rules of definitions may cost: estimated when they are admitted, and counted when they run. The limits are those of the
//! real server, and so are the words.

use bowline_apiserver::{Server, Service};
use serde_json::{Map, Value, json};

use crate::support::{Scratch, admin, ask, expect, get, send};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PRICES: &str = "/apis/test.dev/v1/namespaces/default/prices";

/// Defines prices that have lists of these names, each with a rule whose cost grows with the square of its length.
async fn define(service: &Service, names: &[String], most: usize) -> (u16, Value) {
    let list = json!({
        "type": "array", "maxItems": most, "items": { "type": "integer" },
        "x-kubernetes-validations": [{ "rule": "self.all(a, self.all(b, a == b))" }],
    });
    let properties: Map<String, Value> = names.iter().map(|name| (name.clone(), list.clone())).collect();
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "prices.test.dev" },
        "spec": {
            "group": "test.dev", "scope": "Namespaced", "names": { "plural": "prices", "kind": "Price" },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "properties": properties } } }],
        },
    });
    ask(service, "POST", DEFINITIONS, &definition).await
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("list{number}")).collect()
}

/// A price with so many lists of this length.
fn price(name: &str, lists: usize, length: usize) -> Value {
    let mut price = json!({ "apiVersion": "test.dev/v1", "kind": "Price", "metadata": { "name": name } });
    for list in names(lists) {
        price[list] = json!(vec![1; length]);
    }
    price
}

#[track_caller]
fn says(said: &Value, words: &str) {
    let message = said["message"].as_str().unwrap_or_default();
    assert!(message.contains(words), "{message}");
}

#[tokio::test]
async fn rules_that_may_cost_too_much_are_not_admitted() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    let said = expect(422, define(&service, &names(1), 100_000).await);
    says(&said, "estimated rule cost exceeds budget by factor of more than 100x");
    // Each of them is cheap enough, and all of them are not.
    let said = expect(422, define(&service, &names(40), 1000).await);
    says(&said, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
    expect(201, define(&service, &names(12), 1000).await);
    server.stop().await;
}

#[tokio::test]
async fn rules_that_cost_too_much_end_when_they_do() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    expect(201, define(&service, &names(12), 1000).await);
    while get(&service, PRICES).await.0 != 200 {
        tokio::task::yield_now().await;
    }
    expect(201, ask(&service, "POST", PRICES, &price("cheap", 1, 100)).await);
    // One call of a rule, however it is written.
    let call = "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call \
                cost exceeds limit for rule: self.all(a, self.all(b, a == b))";
    says(&expect(422, ask(&service, "POST", PRICES, &price("dear", 1, 900)).await), call);
    let dear = price("cheap", 1, 900);
    let path = format!("{PRICES}/cheap");
    let media = "application/merge-patch+json";
    says(&expect(422, send(&service, "PATCH", &path, media, dear.to_string().into()).await), call);
    let applied = format!("{path}?fieldManager=m&force=true");
    let media = "application/apply-patch+yaml";
    says(&expect(422, send(&service, "PATCH", &applied, media, dear.to_string().into()).await), call);
    // All calls of a request together.
    let said = expect(422, ask(&service, "POST", PRICES, &price("many", 12, 400)).await);
    says(
        &said,
        "validation failed due to running out of cost budget, no further validation rules will be run",
    );
    expect(201, ask(&service, "POST", PRICES, &price("some", 4, 400)).await);
    server.stop().await;
}
