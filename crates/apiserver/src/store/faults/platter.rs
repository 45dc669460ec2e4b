//! A disk in memory that does what it is told, once: the bad disk of these tests.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::medium::{Medium, Place};

/// What a disk writes whole or not at all.
pub(in crate::store) const SECTOR: usize = 512;

/// What is asked of a disk, but for reads.
#[derive(Clone, Debug)]
pub(in crate::store) enum Step {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
}

/// What becomes of a step instead of what should.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::store) enum Fault {
    /// It fails, after this many sectors were written.
    Fails(usize),
    /// It fails, and so does every later one until somebody makes room.
    Full,
    /// It is reported as done, and only this many sectors are.
    Torn(usize),
    /// It is reported as done, and is not.
    Lost,
    /// It is reported as done, and was done at another place.
    Astray(u64),
    /// It is done, but for this bit.
    Flipped(usize),
}

/// A disk in memory.
#[derive(Debug, Default)]
pub(in crate::store) struct Platter {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    bytes: Vec<u8>,
    /// All that was asked, if that is of interest.
    steps: Option<Vec<Step>>,
    /// How many steps there were.
    count: u64,
    /// Which step goes wrong, and how.
    fault: Option<(u64, Fault)>,
    /// It went wrong.
    struck: bool,
}

impl Platter {
    pub(in crate::store) fn new(bytes: Vec<u8>) -> Arc<Platter> {
        Arc::new(Platter { inner: Mutex::new(Inner { bytes, ..Inner::default() }) })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is on it.
    pub(in crate::store) fn bytes(&self) -> Vec<u8> {
        self.inner().bytes.clone()
    }

    /// What is asked of it from now on can be had by [`Platter::steps`].
    pub(in crate::store) fn record(&self) {
        self.inner().steps = Some(Vec::new());
    }

    /// What was asked of it since the last time.
    pub(in crate::store) fn steps(&self) -> Vec<Step> {
        self.inner().steps.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The step after `later` others goes wrong.
    pub(in crate::store) fn plant(&self, later: u64, fault: Fault) {
        let mut inner = self.inner();
        inner.fault = Some((inner.count + later, fault));
        inner.struck = false;
    }

    /// All is well again. Says whether something went wrong.
    pub(in crate::store) fn heal(&self) -> bool {
        let mut inner = self.inner();
        inner.fault = None;
        std::mem::take(&mut inner.struck)
    }
}

impl Inner {
    fn step(&mut self, step: Step) -> io::Result<()> {
        let number = self.count;
        self.count += 1;
        let fault = match self.fault {
            Some((at, fault)) if at == number || (fault == Fault::Full && number > at) => Some(fault),
            _ => None,
        };
        self.struck |= fault.is_some();
        let done = apply(&mut self.bytes, &step, fault);
        if let Some(steps) = &mut self.steps {
            steps.push(step);
        }
        done
    }
}

/// Does a step, or what a fault makes of it.
pub(in crate::store) fn apply(bytes: &mut Vec<u8>, step: &Step, fault: Option<Fault>) -> io::Result<()> {
    let full = || Err(io::ErrorKind::StorageFull.into());
    match (step, fault) {
        (Step::Write(at, data), None) => lay(bytes, *at, data),
        (Step::Write(at, data), Some(Fault::Fails(sectors))) => {
            lay(bytes, *at, &data[..(sectors * SECTOR).min(data.len())]);
            return full();
        }
        (Step::Write(at, data), Some(Fault::Torn(sectors))) => {
            lay(bytes, *at, &data[..(sectors * SECTOR).min(data.len())]);
        }
        (Step::Write(_, data), Some(Fault::Astray(elsewhere))) => lay(bytes, elsewhere, data),
        (Step::Write(at, data), Some(Fault::Flipped(bit))) => {
            let mut data = data.clone();
            let bit = bit % (data.len() * 8);
            data[bit / 8] ^= 1 << (bit % 8);
            lay(bytes, *at, &data);
        }
        // Also syncs do nothing but fail: all that is written is seen by who reads.
        (_, Some(Fault::Full | Fault::Fails(_))) => return full(),
        (_, Some(_)) => {}
        (Step::SetLen(len), None) => bytes.resize(*len as usize, 0),
        (Step::Sync, None) => {}
    }
    Ok(())
}

fn lay(bytes: &mut Vec<u8>, at: u64, data: &[u8]) {
    let (at, end) = (at as usize, at as usize + data.len());
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[at..end].copy_from_slice(data);
}

impl Medium for Arc<Platter> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.inner().bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let inner = self.inner();
        let from = offset as usize;
        let there = inner.bytes.get(from..from.saturating_add(out.len()));
        out.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.inner().step(Step::Write(offset, data.to_vec()))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner().step(Step::SetLen(len))
    }

    fn sync(&self) -> io::Result<()> {
        self.inner().step(Step::Sync)
    }
}

impl Place for Arc<Platter> {
    fn open(&self) -> io::Result<Box<dyn Medium>> {
        Ok(Box::new(Arc::clone(self)))
    }
}
