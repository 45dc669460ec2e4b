//! What the server says and does, to the letter.

use anyhow::Result;
use bowline_e2e_kv::device::{Act, Mode};
use bowline_e2e_kv::duties::Duties;
use serde_json::{Value, json};

use crate::bed::{Bed, duties, far, soon};

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_served_by_the_master_only() -> Result<()> {
    let bed = Bed::new(&["d0"], Mode::Enforces)?;
    let node = bed.node("n1")?;
    for method in ["GET", "PUT"] {
        assert_eq!(node.ask(method, "/kv/a", "1").await?.0, 421, "{method} without duties");
    }
    node.tell(&duties(&node, 1, &[("d0", 1)], None)).await?;
    assert_eq!(node.ask("GET", "/kv/a", "").await?.0, 404);
    assert_eq!(node.ask("PUT", "/kv/a", "1").await?.0, 200);
    assert_eq!(node.ask("GET", "/kv/a", "").await?, (http::StatusCode::OK, "1".to_owned()));
    node.tell(&duties(&node, 2, &[], None)).await?;
    assert_eq!(node.ask("GET", "/kv/a", "").await?.0, 421);
    let acts: Vec<_> = bed.records("d0")?.into_iter().map(|record| record.act).collect();
    assert!(matches!(&acts[..], [Act::Claim, Act::Write(_), Act::Release]), "{acts:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn duties_are_answered_with_what_is_done() -> Result<()> {
    let bed = Bed::new(&["d0", "d1"], Mode::Enforces)?;
    let node = bed.node("n1")?;
    let told = duties(&node, 12, &[("d0", 7)], far());
    node.write(&told)?;
    let (status, body) = node.ask("POST", "/duties", &serde_json::to_string(&told)?).await?;
    let expected = json!({ "revision": 12, "devices": [{ "name": "d0", "epoch": 7 }] });
    assert_eq!((status.as_u16(), serde_json::from_str::<Value>(&body)?), (200, expected));
    // A deadline that has passed.
    let late = Duties { revision: 13, deadline: Some(1), ..told.clone() };
    assert_eq!(node.tell(&late).await?.devices, []);
    // A device that does not exist.
    let none = duties(&node, 14, &[("d9", 1)], far());
    assert_eq!(node.tell(&none).await?.devices, []);
    // What is late is not done.
    let old = duties(&node, 2, &[("d1", 1)], far());
    let acting = node.post(&old).await?;
    assert_eq!((acting.revision, acting.devices.len()), (14, 0));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_one_revision_the_file_is_right() -> Result<()> {
    let bed = Bed::new(&["d0"], Mode::Enforces)?;
    let node = bed.node("n1")?;
    let fenced = duties(&node, 3, &[("d0", 1)], soon(0));
    let free = Duties { deadline: None, ..fenced.clone() };
    assert_eq!(node.tell(&free).await?.devices.len(), 1);
    // A letter from before the fence comes late.
    node.write(&fenced)?;
    assert_eq!(node.post(&free).await?.devices.len(), 0);
    assert_eq!(node.ask("PUT", "/kv/a", "1").await?.0, 421);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn duties_of_another_and_rubbish_are_refused() -> Result<()> {
    let bed = Bed::new(&["d0"], Mode::Enforces)?;
    let node = bed.node("n1")?;
    let right = duties(&node, 1, &[("d0", 1)], None);
    for wrong in [
        Duties { group: "other".into(), ..right.clone() },
        Duties { member: "n2".into(), ..right.clone() },
        Duties { version: "v2".into(), ..right.clone() },
    ] {
        let (status, _) = node.ask("POST", "/duties", &serde_json::to_string(&wrong)?).await?;
        assert_eq!(status, 409);
        // In the file, they name nothing.
        node.tell(&right).await?;
        node.write(&Duties { revision: 9, ..wrong })?;
        bed.last_is("d0", &Act::Release, 1)?;
    }
    assert_eq!(node.ask("POST", "/duties", "{").await?.0, 400);
    node.tell(&right).await?;
    std::fs::write(bed.join("n1.json"), "{")?;
    bed.last_is("d0", &Act::Release, 1)?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_is_done_once_and_never_after_a_later_one() -> Result<()> {
    let bed = Bed::new(&["d0"], Mode::Enforces)?;
    let node = bed.node("n1")?;
    node.tell(&duties(&node, 1, &[("d0", 1)], None)).await?;
    let put = async |number: &str, value: &str| -> Result<u16> {
        let mut request = bowline_e2e_kv::http::request("PUT", "/kv/a", value.to_owned());
        request.headers_mut().insert("kv-number", number.parse()?);
        Ok(bowline_e2e_kv::http::ask(node.address(), request).await?.status().as_u16())
    };
    for (number, value, status) in
        [("5", "five", 200), ("5", "five", 200), ("6", "six", 200), ("5", "five", 409), ("6", "other", 409)]
    {
        assert_eq!(put(number, value).await?, status, "{number} {value}");
    }
    assert_eq!(put("x", "x").await?, 400);
    assert_eq!(node.ask("GET", "/kv/a", "").await?.1, "six");
    assert_eq!(bed.records("d0")?.len(), 3, "a claim and two writes");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_refused() -> Result<()> {
    let bed = Bed::new(&["d0"], Mode::Enforces)?;
    let node = bed.node("n1")?;
    node.tell(&duties(&node, 1, &[("d0", 1)], None)).await?;
    let long = format!("/kv/{}", "k".repeat(201));
    for (method, path, status) in [
        ("GET", "/", 404),
        ("PUT", "/kv/", 404),
        ("PUT", "/kv/a%20b", 404),
        ("PUT", long.as_str(), 404),
        ("DELETE", "/kv/a", 405),
    ] {
        assert_eq!(node.ask(method, path, "1").await?.0, status, "{method} {path}");
    }
    let huge = "x".repeat(70_000);
    assert_eq!(node.ask("PUT", "/kv/a", &huge).await?.0, 413);
    Ok(())
}
