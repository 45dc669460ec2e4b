//! What quotas allow and what is used of it, as the last request left it: the writer goes by this, and never by what a
//! status says, so nobody takes a place that somebody else has taken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bowline_kernel::{Head, Object};

use crate::authorize;
use crate::builtin::quota::{self, Amounts, Quota, Usage};
use crate::document::Document;
use crate::key::Key;
use crate::quantity::Quantity;
use crate::status::Status;

/// All quotas, and what is used of them.
#[derive(Default)]
pub(super) struct Ledger {
    /// By namespace and name.
    accounts: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Account>>,
    /// The quotas whose status may say something else.
    due: BTreeSet<Key>,
}

/// What a quota comes to.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// What it allows.
    pub quota: Quota,
    /// What is used of it.
    pub used: Amounts,
}

impl Ledger {
    /// That of the objects that are there.
    pub(super) fn load(head: &Head<Document>) -> Ledger {
        let mut ledger = Ledger::default();
        for quota in head.objects().filter(|object| quota::is_quota(&object.key().resource)) {
            ledger.open(head, quota);
        }
        ledger
    }

    /// Whether an object may take the place of another, or of none.
    ///
    /// # Errors
    /// If a quota stands against it.
    pub(super) fn admit(&self, old: Option<&Document>, new: &Document) -> Result<(), Box<Status>> {
        let Some(accounts) = self.accounts.get(&new.key().namespace) else { return Ok(()) };
        let Some(usage) = Usage::of(new) else { return Ok(()) };
        let before = old.and_then(Usage::of);
        if before.as_ref().is_some_and(|before| !usage.may_grow(before)) {
            return Ok(());
        }
        for (name, account) in accounts {
            if let Some(why) = account.quota.unsaid(&usage) {
                return Err(forbidden(new.key(), &format!("failed quota: {name}: {why}")));
            }
        }
        for (name, account) in accounts {
            if let Some(why) = account.exceeded(before.as_ref(), &usage) {
                return Err(forbidden(new.key(), &format!("exceeded quota: {name}, {why}")));
            }
        }
        Ok(())
    }

    /// Notes that one object, which may be none, has come in the place of another. `head` has it.
    pub(super) fn exchange(
        &mut self,
        head: &Head<Document>,
        key: &Key,
        old: Option<&Arc<Document>>,
        new: Option<&Arc<Document>>,
    ) {
        if let Some(accounts) = self.accounts.get_mut(&key.namespace) {
            let usage = |object: Option<&Arc<Document>>| object.and_then(|object| Usage::of(object));
            let (before, after) = (usage(old), usage(new));
            for (name, account) in accounts {
                if account.exchange(before.as_ref(), after.as_ref()) {
                    self.due.insert(Key { name: Arc::clone(name), ..quota_key(&key.namespace) });
                }
            }
        }
        if !quota::is_quota(&key.resource) {
            return;
        }
        match new {
            Some(quota) => self.open(head, quota),
            None => self.close(key),
        }
    }

    /// A quota is there. What there is already counts.
    fn open(&mut self, head: &Head<Document>, document: &Arc<Document>) {
        let key = document.key();
        self.due.insert(key.clone());
        let accounts = self.accounts.entry(Arc::clone(&key.namespace)).or_default();
        let quota = Quota::of(document);
        // Most changes are to its status.
        if accounts.get(&key.name).is_some_and(|account| account.quota == quota) {
            return;
        }
        let mut account = Account { used: quota.nothing(), quota };
        for object in head.contents(&Key::namespace(&key.namespace)) {
            account.exchange(None, Usage::of(object).as_ref());
        }
        accounts.insert(Arc::clone(&key.name), account);
    }

    fn close(&mut self, key: &Key) {
        self.due.remove(key);
        if let Some(accounts) = self.accounts.get_mut(&key.namespace) {
            accounts.remove(&key.name);
            if accounts.is_empty() {
                self.accounts.remove(&key.namespace);
            }
        }
    }

    /// The quotas whose status may say something else, each once.
    pub(super) fn take_due(&mut self) -> Vec<(Key, Account)> {
        let due = std::mem::take(&mut self.due).into_iter();
        due.filter_map(|key| {
            let account = self.accounts.get(&key.namespace)?.get(&key.name)?.clone();
            Some((key, account))
        })
        .collect()
    }
}

impl Account {
    /// What is asked for and not left, in the words of the API.
    fn exceeded(&self, before: Option<&Usage>, after: &Usage) -> Option<String> {
        let taken: Amounts =
            before.into_iter().flat_map(|before| self.quota.counts(before)).map(owned).collect();
        let (mut requested, mut used, mut limited) = (Amounts::new(), Amounts::new(), Amounts::new());
        for (name, amount) in self.quota.counts(after) {
            let more = taken.get(name).map_or(amount, |taken| amount.minus(*taken));
            let (is, most) = (self.used(name), self.quota.hard.get(name).copied()?);
            if more.nanos() > 0 && is.plus(more).nanos() > most.nanos() {
                requested.insert(name.clone(), more);
                used.insert(name.clone(), is);
                limited.insert(name.clone(), most);
            }
        }
        let printed = quota::printed;
        (!requested.is_empty()).then(|| {
            format!(
                "requested: {}, used: {}, limited: {}",
                printed(&requested),
                printed(&used),
                printed(&limited)
            )
        })
    }

    /// Counts one object for another, and says whether that makes a difference.
    fn exchange(&mut self, before: Option<&Usage>, after: Option<&Usage>) -> bool {
        let mut used = self.used.clone();
        let mut count = |usage: Option<&Usage>, with: fn(Quantity, Quantity) -> Quantity| {
            for (name, amount) in usage.into_iter().flat_map(|usage| self.quota.counts(usage)) {
                let old = used.get(name).copied().unwrap_or_else(|| Quantity::whole(0));
                used.insert(name.clone(), with(old, amount));
            }
        };
        count(after, Quantity::plus);
        count(before, Quantity::minus);
        let differs = used != self.used;
        self.used = used;
        differs
    }

    fn used(&self, name: &str) -> Quantity {
        self.used.get(name).copied().unwrap_or_else(|| Quantity::whole(0))
    }
}

fn owned((name, amount): (&String, Quantity)) -> (String, Quantity) {
    (name.clone(), amount)
}

fn quota_key(namespace: &Arc<str>) -> Key {
    let mut key = Key::new(crate::key::Resource::new("", "resourcequotas"), "", "");
    key.namespace = Arc::clone(namespace);
    key
}

fn forbidden(key: &Key, why: &str) -> Box<Status> {
    Box::new(authorize::refusal(key.resource.group(), key.resource.plural(), &key.name, why))
}

#[cfg(test)]
mod tests;
