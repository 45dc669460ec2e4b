//! What would become of each object.

use std::collections::BTreeMap;

use bowline_updates::{Act, Content, Deed, Fit, Plan, Sights, Whose};
use serde::Serialize;
use serde_json::Value;

use super::super::album::Picture;
use super::super::look::api_version;
use super::super::names::{Place, Text};
use super::super::returned::returned;
use super::face;

/// What would be done to an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum Action {
    /// It is made.
    Create,
    /// It is changed.
    Change,
    /// It is nobody's that Bowline knows, becomes the stack's, and is changed.
    TakeOver,
    /// It comes when its kind, or its namespace, is there, or when what has its name is gone.
    Later,
    /// It goes.
    Delete,
    /// It is again what it was before the stack had it.
    GiveBack,
    /// It should go, and is left, because others have something in it.
    Keep,
    /// It could not be tried this time, and is tried again when it is submitted.
    Untried,
    /// It cannot be done.
    Refuse,
    /// It is as it should be.
    Same,
}

/// What would become of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Foretold {
    /// What would be done to it.
    pub action: Action,
    /// The version of its kind.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace, if it says one.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Why, where that is not plain.
    pub why: Option<String>,
    /// What it says, as people see it; what is secret is masked.
    pub before: Option<Value>,
    /// What it would say, likewise.
    pub after: Option<Value>,
}

/// Why an object that is not wanted any more does not go.
const GIVEN_BACK: &str =
    "it was there before the stack: it is as it was then, and what others have set since stays";

/// What is needed to tell.
struct Teller<'a> {
    content: &'a Content<Text>,
    sights: &'a Sights<Text>,
    pictures: &'a BTreeMap<Place, Picture>,
}

/// What would become of all objects: what is done, in its order, what is left, what is refused, and what is as it should be.
pub(super) fn all(
    content: &Content<Text>,
    sights: &Sights<Text>,
    plan: &Plan<Text>,
    pictures: &BTreeMap<Place, Picture>,
) -> Vec<Foretold> {
    let teller = Teller { content, sights, pictures };
    let done: Vec<_> = plan.deeds.iter().map(|(_, deed)| teller.deed(deed)).collect();
    let (leaves, comes): (Vec<_>, Vec<_>) =
        done.into_iter().partition(|it| matches!(it.action, Action::Delete | Action::GiveBack));
    let mut told = comes;
    told.extend(plan.later.iter().map(|(_, deed)| teller.later(&deed.place)));
    let with_reason = |action: Action, (place, why): &(Place, String)| Foretold {
        why: Some(why.clone()),
        ..teller.bare(action, place)
    };
    told.extend(plan.untried.iter().map(|it| with_reason(Action::Untried, it)));
    told.extend(leaves);
    told.extend(plan.spared.iter().map(|it| with_reason(Action::Keep, it)));
    told.extend(plan.refused.iter().map(|it| with_reason(Action::Refuse, it)));
    let is_same = |place: &&Place| {
        sights.get(*place).is_some_and(|sight| sight.fit == Fit::Same && sight.live.is_some())
    };
    let is_refused = |place: &&Place| plan.refused.iter().any(|(refused, _)| refused == *place);
    let same = content.0.keys().filter(is_same).filter(|place| !is_refused(place));
    told.extend(same.map(|place| teller.bare(Action::Same, place)));
    told
}

impl Teller<'_> {
    fn deed(&self, Deed { place, act }: &Deed<Text>) -> Foretold {
        let Picture { live, tried } = self.pictures.get(place).cloned().unwrap_or_default();
        let is_ours = self.sights.get(place).and_then(|sight| sight.live.as_ref());
        let is_ours = is_ours.is_some_and(|live| live.whose == Whose::Ours);
        let (action, before, after) = match act {
            Act::Create(body) => (Action::Create, None, Some(tried.unwrap_or_else(|| body.clone()))),
            Act::Apply(body, _) => {
                let action = if is_ours { Action::Change } else { Action::TakeOver };
                (action, live, Some(tried.unwrap_or_else(|| body.clone())))
            }
            Act::Restore(before, _) => {
                let after = live.as_ref().map_or_else(|| before.clone(), |live| returned(live, before));
                (Action::GiveBack, live, Some(after))
            }
            Act::Delete(_) => (Action::Delete, live, None),
        };
        let (before, after) = face::pair(before.as_ref(), after.as_ref());
        let why = (action == Action::GiveBack).then(|| GIVEN_BACK.to_owned());
        Foretold { why, before, after, ..self.bare(action, place) }
    }

    fn later(&self, place: &Place) -> Foretold {
        let is_there = self.sights.get(place).is_some_and(|sight| sight.live.is_some());
        let why = if is_there {
            "it is being deleted, and is made again when it is gone"
        } else {
            "its kind, or its namespace, comes with this version: its server tries it then"
        };
        let wanted = self.content.0.get(place).map(|wanted| &wanted.body);
        let (_, after) = face::pair(None, wanted);
        Foretold { why: Some(why.into()), after, ..self.bare(Action::Later, place) }
    }

    fn bare(&self, action: Action, place: &Place) -> Foretold {
        let wanted = self.content.0.get(place).map(|wanted| &wanted.body);
        let live = self.pictures.get(place).and_then(|picture| picture.live.as_ref());
        let Place { group, kind, namespace, name } = place.clone();
        let api_version = wanted.or(live).map_or(group.as_str(), api_version).to_owned();
        Foretold { action, api_version, kind, namespace, name, why: None, before: None, after: None }
    }
}

#[cfg(test)]
mod tests {
    use bowline_updates::{Health, Inventory, Live, Origin, Sight, Wanted};
    use serde_json::json;

    use super::super::super::marks::read;
    use super::*;

    fn body(name: &str) -> Value {
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "namespace": "a" } })
    }

    fn place(name: &str) -> Place {
        Place::of(&body(name)).expect("a place")
    }

    fn sight(whose: Option<Whose<Text>>, fit: Fit<Text>) -> Sight<Text> {
        let live = whose.map(|whose| Live {
            whose,
            body: json!("before"),
            read: read(&json!({})),
            spared: None,
            health: Health::Well,
        });
        Sight { live, fit }
    }

    #[test]
    fn everything_is_told_in_the_order_of_the_work() {
        use Fit::{Differs, Later, Refused, Same};
        let ours = || Some(Whose::Ours);
        let mut kept = sight(ours(), Same);
        if let Some(live) = &mut kept.live {
            live.spared = Some("others use it".into());
        }
        let sights: Sights<Text> = [
            ("same", sight(ours(), Same)),
            ("new", sight(None, Differs(String::new()))),
            ("theirs", sight(Some(Whose::Nobodys), Differs(String::new()))),
            ("changed", sight(ours(), Differs(String::new()))),
            ("late", sight(None, Later)),
            ("dying", sight(ours(), Later)),
            ("silent", sight(None, Fit::Untried("its webhook does not answer".into()))),
            ("bad", sight(None, Refused("no".into()))),
            ("claimed", sight(Some(Whose::Anothers("the stack t".into())), Same)),
            ("old", sight(ours(), Same)),
            ("lent", sight(ours(), Same)),
            ("kept", kept),
        ]
        .into_iter()
        .map(|(name, sight)| (place(name), sight))
        .collect();
        let wanted = ["same", "new", "theirs", "changed", "late", "dying", "silent", "bad", "claimed"];
        let content =
            Content(wanted.iter().map(|name| (place(name), Wanted { wave: 2, body: body(name) })).collect());
        let inventory = Inventory([(place("lent"), Origin::Adopted(body("lent")))].into());
        let plan = Plan::new(&content, &inventory, &sights);
        let told = all(&content, &sights, &plan, &BTreeMap::new());
        let said: Vec<_> = told.iter().map(|it| (it.action, it.name.as_str())).collect();
        use Action::{Change, Create, Delete, GiveBack, Keep, Refuse, TakeOver};
        assert_eq!(
            said,
            [
                (Change, "changed"),
                (Create, "new"),
                (TakeOver, "theirs"),
                (Action::Later, "dying"),
                (Action::Later, "late"),
                (Action::Untried, "silent"),
                (GiveBack, "lent"),
                (Delete, "old"),
                (Keep, "kept"),
                (Refuse, "bad"),
                (Refuse, "claimed"),
                (Action::Same, "same"),
            ]
        );
        let why = |name: &str| told.iter().find(|it| it.name == name).and_then(|it| it.why.clone());
        assert_eq!(why("kept").as_deref(), Some("others use it"));
        assert_eq!(why("lent").as_deref(), Some(GIVEN_BACK));
        assert!(
            why("claimed").is_some_and(|why| why.starts_with("ConfigMap a/claimed belongs to the stack t; "))
        );
        assert!(why("dying").is_some_and(|why| why.contains("being deleted")));
        assert!(told.iter().all(|it| it.api_version == "v1" || it.action >= Action::Delete), "{told:#?}");
    }
}
