//! Policies and their versions.

use anyhow::{Context, Result, ensure};
use bowline_aws::{Iam, Kind};

use super::bed::{Bed, document, failed, refused, same, tags};

/// From nothing to nothing.
pub(crate) async fn a_policy_is_made_read_and_removed(bed: &Bed) -> Result<()> {
    let (client, wanted) = (&bed.client, bed.policy("p"));
    let made = client.create_policy(&wanted).await?;
    assert_eq!(made.arn, format!("arn:aws:iam::123456789012:policy{}{}", wanted.path, wanted.name));
    let read = client.get_policy(&made.arn).await?;
    assert_eq!((&read.name, &read.path, &read.tags), (&wanted.name, &wanted.path, &wanted.tags));
    assert_eq!(
        (read.id.as_str(), read.default_version.as_str(), read.attachments),
        (made.id.as_str(), "v1", 0)
    );
    let version = client.get_policy_version(&made.arn, "v1").await?;
    assert!(version.is_default && version.created > 0);
    ensure!(same(&version.document.context("no document")?, &wanted.document)?);
    assert_eq!(refused(client.create_policy(&wanted).await)?, Kind::AlreadyExists);
    assert_eq!(refused(client.get_policy_version(&made.arn, "v7").await)?, Kind::NotFound);

    client.delete_policy(&made.arn).await?;
    assert_eq!(refused(client.get_policy(&made.arn).await)?, Kind::NotFound);
    assert_eq!(refused(client.delete_policy(&made.arn).await)?, Kind::NotFound);
    // Another one of the same name is another one.
    ensure!(client.create_policy(&wanted).await?.id != made.id);
    Ok(())
}

/// AWS keeps five.
pub(crate) async fn a_sixth_version_needs_room(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    let arn = client.create_policy(&bed.policy("p")).await?.arn;
    for number in 2..=5 {
        let made = client.create_policy_version(&arn, &document(&format!("s3:Get{number}"))).await?;
        assert_eq!((made.id, made.is_default), (format!("v{number}"), true));
    }
    assert_eq!(refused(client.create_policy_version(&arn, &document("s3:Get6")).await)?, Kind::LimitExceeded);
    assert_eq!(client.get_policy(&arn).await?.default_version, "v5");
    let versions = client.list_policy_versions(&arn).await?;
    let counting: Vec<_> = versions.iter().filter(|version| version.is_default).collect();
    assert_eq!((versions.len(), counting.len(), counting[0].id.as_str()), (5, 1, "v5"));

    assert_eq!(refused(client.delete_policy_version(&arn, "v5").await)?, Kind::DeleteConflict);
    client.delete_policy_version(&arn, "v1").await?;
    assert_eq!(refused(client.delete_policy_version(&arn, "v1").await)?, Kind::NotFound);
    let made = client.create_policy_version(&arn, &document("s3:Get6")).await?;
    assert_eq!(made.id, "v6");
    let read = client.get_policy_version(&arn, "v6").await?.document.context("no document")?;
    ensure!(same(&read, &document("s3:Get6"))?);
    Ok(())
}

/// Moto removes the policy with all its versions.
pub(crate) async fn versions_are_removed_before_their_policy(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    let arn = client.create_policy(&bed.policy("p")).await?.arn;
    client.create_policy_version(&arn, &document("s3:Other")).await?;
    if !bed.is_strict() {
        return Ok(());
    }
    assert_eq!(refused(client.delete_policy(&arn).await)?, Kind::DeleteConflict);
    client.delete_policy_version(&arn, "v1").await?;
    client.delete_policy(&arn).await?;
    Ok(())
}

/// What is not named stays.
pub(crate) async fn tags_of_a_policy_are_added_and_changed(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    let arn = client.create_policy(&bed.policy("p")).await?.arn;
    client.tag_policy(&arn, &tags(&[("uid", "1"), ("a/b", "c d+e=é")])).await?;
    client.tag_policy(&arn, &tags(&[("uid", "2")])).await?;
    let read = client.get_policy(&arn).await?.tags;
    assert_eq!(read, tags(&[("owner", "bed"), ("uid", "2"), ("a/b", "c d+e=é")]));
    assert_eq!(refused(client.tag_policy(&(arn + "x"), &tags(&[("uid", "2")])).await)?, Kind::NotFound);
    Ok(())
}

/// And AWS says why.
pub(crate) async fn what_is_no_document_is_refused(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    let arn = client.create_policy(&bed.policy("good")).await?.arn;
    let bad =
        ["{", "{}", &document("GetObject"), &document("s3:Get").replace("arn:aws:s3:::a-bucket/*", "bucket")];
    for document in bad {
        let wanted = bowline_aws::NewPolicy { document: document.to_owned(), ..bed.policy("bad") };
        let error = failed(client.create_policy(&wanted).await).with_context(|| document.to_owned())?;
        assert_eq!(error.kind, Kind::Malformed, "{document}: {error}");
        assert!(
            !error.message.is_empty() && error.code.as_deref() == Some("MalformedPolicyDocument"),
            "{error}"
        );
        let error = failed(client.create_policy_version(&arn, document).await)?;
        assert_eq!(error.kind, Kind::Malformed, "{document}: {error}");
    }
    assert_eq!(client.list_policy_versions(&arn).await?.len(), 1);
    Ok(())
}

/// Moto takes any.
pub(crate) async fn a_document_has_a_size(bed: &Bed) -> Result<()> {
    let long = document("s3:Get").replace("a-bucket", &"b".repeat(6144));
    let wanted = bowline_aws::NewPolicy { document: long, ..bed.policy("long") };
    let outcome = bed.client.create_policy(&wanted).await;
    if bed.is_strict() {
        let error = failed(outcome)?;
        assert_eq!(error.kind, Kind::LimitExceeded);
        assert!(error.message.contains("6144"), "{error}");
    }
    let spacious = document("s3:Get").replace(',', &format!(",{}", " ".repeat(6144)));
    let wanted = bowline_aws::NewPolicy { document: spacious, ..bed.policy("spacious") };
    bed.client.create_policy(&wanted).await?;
    Ok(())
}

/// Without tags, and over as many pages as it takes.
pub(crate) async fn policies_are_listed_by_their_path(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    if let Some(fake) = &bed.fake {
        fake.list_by(2);
    }
    let elsewhere = bowline_aws::NewPolicy { path: "/".to_owned(), ..bed.policy("elsewhere") };
    client.create_policy(&elsewhere).await?;
    let mut made = Vec::new();
    for number in 0..5 {
        made.push(client.create_policy(&bed.policy(&format!("p{number}"))).await?.arn);
    }
    let mut listed: Vec<_> =
        client.list_policies(&bed.path()).await?.into_iter().map(|one| one.arn).collect();
    listed.sort();
    assert_eq!(listed, made);
    let pages = if bed.is_strict() { 3 } else { 1 };
    assert_eq!(bed.proxy.count("ListPolicies"), pages);
    Ok(())
}
