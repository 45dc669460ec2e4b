//! Requests that are long in every other way than by their body: each is answered, and soon.

use std::time::{Duration, Instant};

use bowline_apiserver::{Server, Service};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};

use crate::support::{Scratch, admin, get, send};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Long enough for a slow machine without optimisation, and short for what takes ever longer.
const SOON: Duration = Duration::from_secs(20);

async fn soon(service: &Service, path: &str) -> u16 {
    let start = Instant::now();
    let (code, _) = get(service, path).await;
    assert!(start.elapsed() < SOON, "{:.100}: {:?}", path, start.elapsed());
    code
}

#[tokio::test]
async fn queries_and_selectors_may_be_as_long_as_a_url() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let service = admin(&server);
    assert_eq!(soon(&service, &format!("{MAPS}?{}", "a&".repeat(30_000))).await, 200);
    assert_eq!(soon(&service, &format!("{MAPS}?{}", "labelSelector=a&".repeat(4_000))).await, 200);
    assert_eq!(soon(&service, &format!("{MAPS}?labelSelector={}", "a!=b,".repeat(10_000) + "c")).await, 200);
    assert_eq!(soon(&service, &format!("{MAPS}?labelSelector={}", "%28".repeat(20_000))).await, 400);
    let names = "metadata.name!=x,".repeat(3_500) + "metadata.name!=y";
    assert_eq!(soon(&service, &format!("{MAPS}?fieldSelector={names}")).await, 200);
    assert_eq!(soon(&service, &format!("{MAPS}?limit=1&continue={}", "A".repeat(60_000))).await, 400);
    assert_eq!(soon(&service, &format!("/{}", "a/".repeat(32_000))).await, 404);
    // One that is longer is none.
    assert!(Request::get(format!("{MAPS}?{}", "a".repeat(70_000))).body(()).is_err());
    server.stop().await;
}

#[tokio::test]
async fn what_is_packed_is_not_unpacked() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    // The head of a gzip file, and enough of its body to be one of gigabytes.
    let packed: Vec<u8> = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &[0xec; 4096]].concat();
    for encoding in ["gzip", "deflate", "br"] {
        let request = Request::post(MAPS)
            .header("content-type", "application/json")
            .header("content-encoding", encoding)
            .body(Full::new(Bytes::from(packed.clone())))
            .expect("a request");
        let reply = admin(&server).answer(request).await;
        let code = reply.status().as_u16();
        let said = reply.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!(code, 400, "{encoding}: {}", String::from_utf8_lossy(&said));
    }
    server.stop().await;
}

/// A field of a protobuf message that holds bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(u8::try_from(length & 0x7f).expect("seven bits") | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).expect("seven bits"));
    out.extend_from_slice(bytes);
    out
}

#[tokio::test]
async fn messages_nest_only_so_deep() {
    let scratch = Scratch::new();
    let server = Server::start(scratch.path()).await.expect("it starts");
    let kind =
        field(1, &[field(1, b"apiextensions.k8s.io/v1"), field(2, b"CustomResourceDefinition")].concat());
    for depth in [200, 20_000] {
        // `not` is the 26th field of a schema: a schema in a schema.
        let mut schema = Vec::new();
        for _ in 0..depth {
            let inner = field(0, &schema);
            schema = [&[0xd2, 0x01][..], &inner[1..]].concat();
            if schema.len() > 60_000 {
                break;
            }
        }
        let version = field(7, &[field(1, b"v1"), field(4, &field(1, &schema))].concat());
        let body = [b"k8s\0".to_vec(), kind.clone(), field(2, &field(2, &version))].concat();
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let (code, said) =
            send(&admin(&server), "POST", path, "application/vnd.kubernetes.protobuf", body.into()).await;
        assert_eq!(code, 400, "{said}");
        assert!(said["message"].as_str().is_some_and(|said| said.contains("depth")), "{said}");
    }
    server.stop().await;
}
