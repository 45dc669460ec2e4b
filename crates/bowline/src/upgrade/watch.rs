//! A group and its members, drawn again whenever they change.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use anyhow::anyhow;
use bowline_api::upgrades::{Member, NodeGroup};
use futures::{Stream, StreamExt, stream};
use kube::ResourceExt;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event, watch_object, watcher};

use super::follow::forbidden;
use super::status::picture;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::team::Team;

/// Clears a terminal, and goes to its first line.
const CLEAR: &str = "\u{1b}[2J\u{1b}[H";

/// What a watch has seen.
enum Seen {
    Group(Option<Box<NodeGroup>>),
    Member(Box<Event<Member>>),
}

/// What is known of a group so far.
#[derive(Default)]
struct Known {
    group: Option<Box<NodeGroup>>,
    members: BTreeMap<String, Member>,
    /// Those of a list that has not ended.
    listed: BTreeMap<String, Member>,
    /// A list has ended: all are known.
    is_whole: bool,
}

impl Known {
    fn see(&mut self, event: Event<Member>) {
        match event {
            Event::Init => self.listed.clear(),
            Event::InitApply(member) => drop(self.listed.insert(member.name_any(), member)),
            Event::InitDone => (self.members, self.is_whole) = (std::mem::take(&mut self.listed), true),
            Event::Apply(member) => drop(self.members.insert(member.name_any(), member)),
            Event::Delete(member) => drop(self.members.remove(&member.name_any())),
        }
    }

    /// What is printed of it, once all is known.
    fn picture(&self, name: &str, format: Format) -> anyhow::Result<Option<String>> {
        let Some(group) = self.group.as_ref().filter(|_| self.is_whole) else { return Ok(None) };
        let members: Vec<_> =
            self.members.values().filter(|member| member.spec.group.as_str() == name).cloned().collect();
        picture(group, &members, format).map(Some)
    }
}

/// Shows a group and its members until nobody reads it any more, or it is gone.
pub(super) async fn watch(team: &Team, name: &str, format: Format) -> anyhow::Result<Exit> {
    let is_screen = format.is_text() && std::io::stdout().is_terminal();
    let (mut known, mut shown) = (Known::default(), String::new());
    let mut seen = sights(team, name);
    while let Some(sight) = seen.next().await {
        match sight {
            Ok(Seen::Group(Some(group))) => known.group = Some(group),
            Ok(Seen::Group(None)) => return Err(anyhow!("the group {name} was deleted")),
            Ok(Seen::Member(event)) => known.see(*event),
            Err(error) => {
                forbidden(error)?;
                continue;
            }
        }
        let Some(text) = known.picture(name, format)?.filter(|text| *text != shown) else { continue };
        let before = match (is_screen, shown.is_empty(), format) {
            (true, _, _) => CLEAR,
            (false, true, _) => "",
            (false, false, Format::Yaml) => "---\n",
            (false, false, _) => "\n",
        };
        if !output::reaches(&format!("{before}{text}"))? {
            return Ok(Exit::Done);
        }
        shown = text;
    }
    Err(anyhow!("the watch of the group {name} ended"))
}

fn sights(team: &Team, name: &str) -> impl Stream<Item = Result<Seen, watcher::Error>> + Unpin + use<> {
    let group = watch_object(team.groups(), name).default_backoff();
    let group = group.map(|seen| seen.map(|group| Seen::Group(group.map(Box::new))));
    let members = watcher(team.members(), watcher::Config::default()).default_backoff();
    let members = members.map(|seen| seen.map(|event| Seen::Member(Box::new(event))));
    Box::pin(stream::select(group, members))
}

#[cfg(test)]
mod tests {
    use bowline_api::upgrades::{MemberSpec, NodeGroupSpec};

    use super::*;

    fn member(group: &str, name: &str) -> Member {
        Member::new(&Member::object_name(group, name), MemberSpec { group: group.into(), desired: None })
    }

    fn drawn(known: &Known) -> Option<Vec<String>> {
        let text = known.picture("kv", Format::Json).expect("it can be drawn")?;
        let picture: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let members = picture["members"].as_array().cloned().unwrap_or_default();
        Some(members.iter().filter_map(|one| one["metadata"]["name"].as_str().map(str::to_owned)).collect())
    }

    #[test]
    fn nothing_is_drawn_before_all_is_known_and_what_goes_is_gone() {
        let group = Some(Box::new(NodeGroup::new("kv", NodeGroupSpec::default())));
        let mut known = Known { group, ..Known::default() };
        known.see(Event::Init);
        known.see(Event::InitApply(member("kv", "b")));
        known.see(Event::InitApply(member("kv", "a")));
        known.see(Event::InitApply(member("other", "a")));
        assert_eq!(drawn(&known), None);
        known.see(Event::InitDone);
        assert_eq!(drawn(&known), Some(vec!["kv-a".into(), "kv-b".into()]));
        known.see(Event::Delete(member("kv", "a")));
        known.see(Event::Apply(member("kv", "c")));
        assert_eq!(drawn(&known), Some(vec!["kv-b".into(), "kv-c".into()]));
        // A list that is begun again forgets who is not in it, when it has ended.
        known.see(Event::Init);
        known.see(Event::InitApply(member("kv", "c")));
        assert_eq!(drawn(&known), Some(vec!["kv-b".into(), "kv-c".into()]));
        known.see(Event::InitDone);
        assert_eq!(drawn(&known), Some(vec!["kv-c".into()]));
    }
}
