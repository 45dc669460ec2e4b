//! What makes no sense is refused, or reported at once, with where and what to do.

use anyhow::{Result, ensure};
use bowline_e2e_homes::Kind;
use bowline_e2e_up::until;
use bowline_e2e_upgrades::{Bed, Group, stays};
use serde_json::json;

#[test]
fn versions_that_cannot_be_gone_to_are_refused() -> Result<()> {
    let bed = Bed::start(Kind::Embedded)?;
    let kubectl = bed.kubectl()?;
    let refused = |object: &serde_json::Value, expected: &str| -> Result<()> {
        let said = kubectl.run("apply -f -", &object.to_string())?;
        ensure!(said.code != 0 && said.err.contains(expected), "{expected:?}: {said:#?}");
        Ok(())
    };
    let group = Group {
        versions: vec![("v1", String::new()), ("v2", String::new()), ("v3", String::new())],
        ..Group::new("kv")
    };
    let good = group.object(&bed.path("devices"));
    let mut none = good.clone();
    none["spec"]["versions"] = json!([]);
    refused(&none, "spec.versions")?;
    let mut unknown = good.clone();
    unknown["spec"]["version"] = json!("v9");
    refused(&unknown, "version is none of versions")?;
    let mut twice = good.clone();
    twice["spec"]["versions"][1]["name"] = json!("v1");
    refused(&twice, "Duplicate value")?;
    let mut silent = good.clone();
    silent["spec"]["versions"][0]["command"] = json!([]);
    refused(&silent, "spec.versions[0].command")?;
    bed.make(&group)?;
    bed.says(
        "upgrade start kv --to v9",
        2,
        &["the group kv has no version v9", "declare it in spec.versions"],
    )?;
    bed.is("kv", "it waits for members", |status| {
        status["message"].as_str().is_some_and(|said| said.contains("members to join"))
    })?;
    bed.says("upgrade start kv --to v3 --wait", 1, &["v3 is not the next version: upgrade to v2 first"])?;
    Ok(())
}

#[test]
fn a_partition_that_is_larger_than_the_group_has_as_many_members_as_there_are() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group { partitions: Some(5), ..Group::new("kv") };
    bed.serve(&group, 3)?;
    let status = bed.status("kv")?;
    let members = status["memberships"][0]["partitions"][0]["members"].as_array().map(Vec::len);
    ensure!(members == Some(3), "{status}");
    bed.says("upgrade start kv --to v2 --wait", 0, &["Upgraded"])?;
    Ok(())
}

#[test]
fn a_command_that_is_not_on_the_node_is_reported_at_once_with_its_name() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let mut object = Group::new("kv").object(&bed.path("devices"));
    object["spec"]["versions"][0]["command"] = json!(["no-such-program"]);
    bed.kubectl()?.ok("apply -f -", &object.to_string())?;
    bed.join("kv", &["n1"])?;
    until("it says which", || {
        let member = bed.kubectl()?.ok("get member kv-n1 -o json", "")?;
        let says = member.contains("no-such-program")
            && member.contains("there is no program of this name in PATH")
            && member.contains("\"Failed\"");
        Ok(if says { Ok(()) } else { Err(member) })
    })
}

#[test]
fn two_nodes_with_one_name_are_told_so_and_only_one_of_them_acts() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    let group = Group::new("kv");
    bed.serve(&group, 3)?;
    let second = bed.twin("kv", "n1")?;
    until("it is told so", || {
        let said = second.said();
        let is = said.contains("Another agent, n1_") && said.contains("two nodes must not have one name");
        Ok(if is { Ok(()) } else { Err(said) })
    })?;
    let pid = bed.agent("kv", "n1").pid()?;
    stays(std::time::Duration::from_secs(5), || {
        let there = second.pid().ok().flatten();
        Ok(if there.is_none() && bed.agent("kv", "n1").pid()? == pid {
            Ok(())
        } else {
            Err(format!("{there:?}"))
        })
    })
}

#[test]
fn an_agent_that_cannot_be_the_member_says_why() -> Result<()> {
    let mut bed = Bed::start(Kind::Embedded)?;
    bed.make(&Group::new("kv"))?;
    bed.join("kv", &["n1"])?;
    let agent = "agent node --group kv --kubeconfig kv-n1.kubeconfig --data elsewhere";
    bed.says(
        &format!("{agent} --member n2"),
        4,
        &["this kubeconfig is not that of the member n2", "bowline join node kv n2"],
    )?;
    bed.says(&format!("{agent} --member n1 --lease 0s"), 2, &["1s to 60s"])?;
    let admin = "agent node --group kv --member n7 --data elsewhere";
    bed.says(admin, 4, &["there is no member n7 of the group kv", "bowline join node kv n7"])?;
    // Its directory is in use by the agent that runs.
    let same = "agent node --group kv --kubeconfig kv-n1.kubeconfig --data agents --member n1";
    until("it is in use", || {
        let said = bed.bowline(same)?;
        Ok(if said.code == 2 && said.err.contains("another agent runs in") {
            Ok(())
        } else {
            Err(format!("{said:?}"))
        })
    })
}
