//! Roles, what is attached to them, and who may be them.

use anyhow::{Result, ensure};
use bowline_aws::{Attached, Iam, Kind, NewRole, Secret, Tags, WebIdentity};
use bowline_e2e_aws::fake::Issuer;

use super::bed::{AUDIENCE, Bed, ISSUER, document, refused, same, tags, trust};

/// From nothing to nothing.
pub(crate) async fn a_role_is_made_read_and_removed(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    let boundary = client.create_policy(&bed.policy("boundary")).await?.arn;
    let wanted = NewRole { boundary: Some(boundary.clone()), ..bed.role("r") };
    let made = client.create_role(&wanted).await?;
    assert_eq!(made.arn, format!("arn:aws:iam::123456789012:role{}{}", wanted.path, wanted.name));
    let read = client.get_role(&wanted.name).await?;
    assert_eq!((&read.name, &read.path, &read.tags), (&wanted.name, &wanted.path, &wanted.tags));
    assert_eq!((&read.id, &read.boundary), (&made.id, &Some(boundary)));
    ensure!(same(&read.trust, &wanted.trust)?);
    assert_eq!(refused(client.create_role(&wanted).await)?, Kind::AlreadyExists);

    client.delete_role(&wanted.name).await?;
    assert_eq!(refused(client.get_role(&wanted.name).await)?, Kind::NotFound);
    assert_eq!(refused(client.delete_role(&wanted.name).await)?, Kind::NotFound);
    ensure!(client.create_role(&wanted).await?.id != made.id);
    Ok(())
}

/// And what is no document is refused.
pub(crate) async fn trust_can_be_changed(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    client.create_role(&role).await?;
    let other = trust("system:serviceaccount:ns:other");
    client.update_assume_role_policy(&role.name, &other).await?;
    ensure!(same(&client.get_role(&role.name).await?.trust, &other)?);
    let outcome = client.update_assume_role_policy(&role.name, "{").await;
    assert_eq!(refused(outcome)?, Kind::Malformed);
    // Moto takes a trust that trusts nobody.
    let outcome = client.update_assume_role_policy(&role.name, "{}").await;
    if bed.is_strict() {
        assert_eq!(refused(outcome)?, Kind::Malformed);
        ensure!(same(&client.get_role(&role.name).await?.trust, &other)?);
    }
    assert_eq!(refused(client.update_assume_role_policy("nobody", &other).await)?, Kind::NotFound);
    Ok(())
}

/// That there is none is no error.
pub(crate) async fn a_boundary_comes_and_goes(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    client.create_role(&role).await?;
    let boundary = client.create_policy(&bed.policy("boundary")).await?.arn;
    client.put_role_permissions_boundary(&role.name, &boundary).await?;
    assert_eq!(client.get_role(&role.name).await?.boundary.as_ref(), Some(&boundary));
    // Moto does not mind.
    if bed.is_strict() {
        assert_eq!(refused(client.delete_policy(&boundary).await)?, Kind::DeleteConflict);
    }
    client.delete_role_permissions_boundary(&role.name).await?;
    client.delete_role_permissions_boundary(&role.name).await?;
    assert_eq!(client.get_role(&role.name).await?.boundary, None);
    client.delete_policy(&boundary).await?;
    Ok(())
}

/// Moto takes any.
pub(crate) async fn a_boundary_has_to_be_there(bed: &Bed) -> Result<()> {
    let (client, nowhere) = (&bed.client, "arn:aws:iam::123456789012:policy/nowhere".to_owned());
    client.create_role(&bed.role("r")).await?;
    if !bed.is_strict() {
        return Ok(());
    }
    assert_eq!(
        refused(client.put_role_permissions_boundary(&bed.name("r"), &nowhere).await)?,
        Kind::NotFound
    );
    let wanted = NewRole { boundary: Some(nowhere), ..bed.role("other") };
    assert_eq!(refused(client.create_role(&wanted).await)?, Kind::NotFound);
    assert_eq!(refused(client.get_role(&wanted.name).await)?, Kind::NotFound);
    Ok(())
}

/// And detaching twice is not.
pub(crate) async fn attaching_twice_is_attaching_once(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    client.create_role(&role).await?;
    let policy = client.create_policy(&bed.policy("p")).await?;
    client.attach_role_policy(&role.name, &policy.arn).await?;
    client.attach_role_policy(&role.name, &policy.arn).await?;
    let of_aws = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    client.attach_role_policy(&role.name, of_aws).await?;
    let mut attached = client.list_attached_role_policies(&role.name).await?;
    attached.sort();
    let named = |arn: &str, name: &str| Attached { arn: arn.to_owned(), name: name.to_owned() };
    assert_eq!(attached, [named(&policy.arn, &policy.name), named(of_aws, "ReadOnlyAccess")]);
    // Moto counts how often it was told.
    if bed.is_strict() {
        assert_eq!(client.get_policy(&policy.arn).await?.attachments, 1);
    }

    let nowhere = format!("{}x", policy.arn);
    assert_eq!(refused(client.attach_role_policy(&role.name, &nowhere).await)?, Kind::NotFound);
    client.detach_role_policy(&role.name, &policy.arn).await?;
    assert_eq!(refused(client.detach_role_policy(&role.name, &policy.arn).await)?, Kind::NotFound);
    assert_eq!(client.list_attached_role_policies(&role.name).await?.len(), 1);
    Ok(())
}

/// Moto removes a policy that is attached, and then the role cannot be removed any more.
pub(crate) async fn what_is_attached_is_not_removed(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    client.create_role(&role).await?;
    let policy = client.create_policy(&bed.policy("p")).await?.arn;
    client.attach_role_policy(&role.name, &policy).await?;
    assert_eq!(refused(client.delete_role(&role.name).await)?, Kind::DeleteConflict);
    if bed.is_strict() {
        assert_eq!(refused(client.delete_policy(&policy).await)?, Kind::DeleteConflict);
    }
    client.detach_role_policy(&role.name, &policy).await?;
    client.delete_policy(&policy).await?;
    client.delete_role(&role.name).await?;
    Ok(())
}

/// It has no tags, and is not seen by what is attached.
pub(crate) async fn what_is_written_into_a_role_is_removed_before_it(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    client.create_role(&role).await?;
    assert!(client.list_role_policies(&role.name).await?.is_empty());
    for name in ["b", "a"] {
        bed.proxy.write_into(&role.name, name, &document("s3:Other")).await?;
    }
    let mut written = client.list_role_policies(&role.name).await?;
    written.sort_unstable();
    assert_eq!(written, ["a", "b"]);
    assert!(client.list_attached_role_policies(&role.name).await?.is_empty());
    assert_eq!(refused(client.delete_role(&role.name).await)?, Kind::DeleteConflict);
    client.delete_role_policy(&role.name, "a").await?;
    assert_eq!(refused(client.delete_role_policy(&role.name, "a").await)?, Kind::NotFound);
    assert_eq!(client.list_role_policies(&role.name).await?, ["b"]);
    client.delete_role_policy(&role.name, "b").await?;
    client.delete_role(&role.name).await?;
    Ok(())
}

/// Moto takes more.
pub(crate) async fn ten_policies_and_no_more(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    client.create_role(&role).await?;
    let mut policies = Vec::new();
    for number in 0..11 {
        policies.push(client.create_policy(&bed.policy(&format!("p{number}"))).await?.arn);
    }
    for policy in &policies[..10] {
        client.attach_role_policy(&role.name, policy).await?;
    }
    let outcome = client.attach_role_policy(&role.name, &policies[10]).await;
    if bed.is_strict() {
        assert_eq!(refused(outcome)?, Kind::LimitExceeded);
    }
    // One that is there is not one more.
    client.attach_role_policy(&role.name, &policies[0]).await?;
    Ok(())
}

/// Moto takes any.
pub(crate) async fn names_are_of_a_kind(bed: &Bed) -> Result<()> {
    let named = |name: &str| NewRole { name: name.to_owned(), ..bed.role("") };
    let longest = format!("{:x<64}", bed.name("long"));
    bed.client.create_role(&named(&longest)).await?;
    if bed.is_strict() {
        for name in [&*(longest + "x"), "a b", "a/b", "a*"] {
            assert_eq!(refused(bed.client.create_role(&named(name)).await)?, Kind::Malformed, "{name}");
        }
    }
    Ok(())
}

/// Moto counts those of one call only.
pub(crate) async fn fifty_tags_and_no_more(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    let many = |count: usize| -> Tags {
        (0..count).map(|number| (format!("k{number:02}"), "v".to_owned())).collect()
    };
    let wanted = NewRole { tags: many(51), ..bed.role("r") };
    assert_eq!(refused(client.create_role(&wanted).await)?, Kind::Malformed);
    client.create_role(&NewRole { tags: many(50), ..wanted.clone() }).await?;
    if bed.is_strict() {
        let outcome = client.tag_role(&wanted.name, &tags(&[("one", "more")])).await;
        assert_eq!(refused(outcome)?, Kind::LimitExceeded);
    }
    client.tag_role(&wanted.name, &tags(&[("k07", "other")])).await?;
    let read = client.get_role(&wanted.name).await?.tags;
    assert_eq!((read.len(), read.get("k07").map(String::as_str)), (50, Some("other")));
    Ok(())
}

/// Without tags, and over as many pages as it takes.
pub(crate) async fn roles_are_listed_by_their_path(bed: &Bed) -> Result<()> {
    let client = &bed.client;
    if let Some(fake) = &bed.fake {
        fake.list_by(2);
    }
    client.create_role(&NewRole { path: "/".to_owned(), ..bed.role("elsewhere") }).await?;
    let mut made = Vec::new();
    for number in 0..5 {
        made.push(client.create_role(&bed.role(&format!("r{number}"))).await?.name);
    }
    let mut listed: Vec<_> = client.list_roles(&bed.path()).await?.into_iter().map(|one| one.name).collect();
    listed.sort();
    assert_eq!(listed, made);
    let pages = if bed.is_strict() { 3 } else { 1 };
    assert_eq!(bed.proxy.count("ListRoles"), pages);
    Ok(())
}

/// Everybody may ask.
pub(crate) async fn the_caller_is_known(bed: &Bed) -> Result<()> {
    let caller = bed.client.get_caller_identity().await?;
    assert_eq!(caller.account, "123456789012");
    ensure!(caller.arn.starts_with("arn:aws:"), "{caller:?}");
    Ok(())
}

/// Moto looks at no trust.
pub(crate) async fn a_role_is_assumed_by_its_token(bed: &Bed) -> Result<()> {
    let (client, role) = (&bed.client, bed.role("r"));
    let role_arn = client.create_role(&role).await?.arn;
    let by = |token: String| WebIdentity {
        role_arn: role_arn.clone(),
        session: "bowline".to_owned(),
        token: Secret::new(token),
    };
    client.assume_role_with_web_identity(&by(bed.token()?)).await?;
    if !bed.is_strict() {
        return Ok(());
    }
    let other = bed.issuer.token("system:serviceaccount:ns:other", AUDIENCE)?;
    let denied = Kind::AccessDenied { action: "sts:AssumeRoleWithWebIdentity".to_owned() };
    assert_eq!(refused(client.assume_role_with_web_identity(&by(other)).await)?, denied);
    let strange = Issuer::new(ISSUER)?.token("system:serviceaccount:ns:sa", AUDIENCE)?;
    let old = bed.issuer.token_until("system:serviceaccount:ns:sa", AUDIENCE, 1)?;
    for bad in ["no token".to_owned(), strange, old] {
        let outcome = client.assume_role_with_web_identity(&by(bad)).await;
        assert_eq!(refused(outcome)?, Kind::InvalidToken);
    }
    Ok(())
}
