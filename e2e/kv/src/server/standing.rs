//! What a process is to do, and what it does: the duties in force, and the devices.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use crate::clock::now;
use crate::device::{self, Written};
use crate::duties::{Acting, Duties, Grant, Who};
use crate::master::{Actor, Failure, Master, Put};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Goes,
    Ended,
}

/// Everything here may wait for a device, so nothing here is for an async thread.
pub(super) struct Standing {
    who: Who,
    file: PathBuf,
    names: Vec<String>,
    masters: BTreeMap<String, Mutex<Master>>,
    in_force: RwLock<Duties>,
    /// Duties are read and taken by one at a time: what was read earlier is not taken later, and nothing after the end.
    turn: Mutex<Turn>,
    /// Devices that could not be acted for, and why.
    troubles: Mutex<BTreeMap<String, String>>,
}

impl Standing {
    pub(super) fn open(devices: &Path, who: Who, file: PathBuf, actor: &Actor) -> anyhow::Result<Standing> {
        let names = device::names(devices)?;
        anyhow::ensure!(!names.is_empty(), "there is none");
        let open = |name: &String| {
            anyhow::Ok((name.clone(), Mutex::new(Master::open(&devices.join(name), actor.clone())?)))
        };
        let masters = names.iter().map(open).collect::<anyhow::Result<_>>()?;
        let Who { group, member, version } = who.clone();
        let nothing = Duties { group, member, version, ..Duties::default() };
        Ok(Standing {
            who,
            file,
            names,
            masters,
            in_force: RwLock::new(nothing),
            turn: Mutex::new(Turn::Goes),
            troubles: Mutex::default(),
        })
    }

    /// Whether this version can read what is on the devices.
    pub(super) fn look_at_devices(&self) -> Result<(), Failure> {
        self.masters.values().try_for_each(|master| lock(master).look())
    }

    /// Whether duties are meant for this process.
    pub(super) fn is_told(&self, duties: &Duties) -> bool {
        duties.are_of(&self.who)
    }

    /// Looks at the file.
    pub(super) fn look(&self) {
        let turn = lock(&self.turn);
        if *turn == Turn::Goes {
            self.take(self.read());
        }
    }

    /// Does what it is told, and says what it does now.
    pub(super) fn told(&self, duties: Duties) -> Acting {
        let turn = lock(&self.turn);
        // Of the same revision the file is the newer one: it is there before anybody is told, and a letter may be late.
        let is_new = duties.revision > self.duties().revision;
        if *turn == Turn::Goes {
            self.take(if is_new { duties } else { self.read() });
        }
        Acting { revision: self.duties().revision, devices: self.acts() }
    }

    /// Gives everything back.
    pub(super) fn end(&self) {
        let mut turn = lock(&self.turn);
        *turn = Turn::Ended;
        self.take(self.duties().nothing());
    }

    /// Waits for what is under way on any device.
    pub(super) fn finish(&self) {
        self.masters.values().for_each(|master| drop(lock(master)));
    }

    /// Why it cannot serve.
    pub(super) fn trouble(&self) -> Option<String> {
        let troubles = lock(&self.troubles);
        troubles.iter().next().map(|(device, why)| format!("{device}: {why}"))
    }

    pub(super) fn put(&self, key: &str, number: Option<u64>, value: &str) -> Result<Put, Failure> {
        self.act(key, |master, may| master.put(may, key, number, value))
    }

    pub(super) fn get(&self, key: &str) -> Result<Option<Written>, Failure> {
        self.act(key, |master, may| master.get(may, key))
    }

    fn act<T>(
        &self,
        key: &str,
        act: impl FnOnce(&mut Master, &dyn Fn() -> Option<u64>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let name = device::of_key(&self.names, key).ok_or(Failure::NotMaster)?;
        let master = self.masters.get(name).ok_or(Failure::NotMaster)?;
        // Others wait for nothing if it is not their business.
        self.may(name).ok_or(Failure::NotMaster)?;
        let done = act(&mut lock(master), &|| self.may(name));
        self.note(name, done.as_ref().err());
        done
    }

    fn may(&self, device: &str) -> Option<u64> {
        self.in_force.read().unwrap_or_else(PoisonError::into_inner).may(device, now())
    }

    fn duties(&self) -> Duties {
        self.in_force.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the file says: nothing, if it says nothing that can be understood.
    fn read(&self) -> Duties {
        let said = Duties::read(&self.file).ok().filter(|duties| duties.are_of(&self.who));
        said.unwrap_or_else(|| self.duties().nothing())
    }

    /// Puts duties in force. When this returns, nothing is done any more that they do not name.
    fn take(&self, next: Duties) {
        let before = {
            let mut in_force = self.in_force.write().unwrap_or_else(PoisonError::into_inner);
            if next.revision < in_force.revision || next == *in_force {
                return;
            }
            std::mem::replace(&mut *in_force, next.clone())
        };
        let changed = |name: &&String| before.epoch(name) != next.epoch(name);
        for name in self.names.iter().filter(changed) {
            let Some(epoch) = before.epoch(name) else { continue };
            // Until the agent hears that it has stopped, nobody else may begin before the old deadline.
            self.each(name, |master| master.release(epoch, &|| before.may(name, now())));
        }
        for name in self.names.iter().filter(changed).filter(|name| next.epoch(name).is_some()) {
            self.each(name, |master| master.claim(&|| self.may(name)).map(drop));
        }
    }

    fn each(&self, name: &str, act: impl FnOnce(&mut Master) -> Result<(), Failure>) {
        let Some(master) = self.masters.get(name) else { return };
        let done = act(&mut lock(master));
        self.note(name, done.err().as_ref());
    }

    /// Remembers what is wrong with a device. Not to be master is nothing wrong.
    fn note(&self, name: &str, failure: Option<&Failure>) {
        let mut troubles = lock(&self.troubles);
        match failure {
            Some(why @ (Failure::Newer(_) | Failure::Device(_))) => {
                troubles.insert(name.to_owned(), why.to_string());
            }
            Some(Failure::NotMaster | Failure::Fenced(_)) | None => {
                troubles.remove(name);
            }
        }
    }

    fn acts(&self) -> Vec<Grant> {
        let acting = |(name, master): (&String, &Mutex<Master>)| {
            let epoch = lock(master).epoch().filter(|epoch| self.may(name) == Some(*epoch))?;
            Some(Grant { name: name.clone(), epoch })
        };
        self.masters.iter().filter_map(acting).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
