//! Those whom nobody knows: whoever reaches the port can be one as often as it likes, and must not fill the log with it, nor
//! push out of it what others did.

use std::sync::PoisonError;

use super::versions::Spans;
use super::{Audit, Request};
use crate::user::{ANONYMOUS, User};

/// So many of them have a line in a second; the others are counted.
const LINES_A_SECOND: u32 = 10;

/// What was written of them in the second that goes on.
#[derive(Default)]
pub(super) struct Strangers {
    second: i64,
    lines: u32,
    /// How many have no line.
    untold: u64,
}

impl Audit {
    /// Whether a request is one of nobody that has no line: it is counted, and the count is told with the next one.
    pub(super) fn is_one_too_many(&self, request: &Request<'_>) -> bool {
        // Of who has shown nothing at all a name says so.
        let is_known = |user: &User| user.name != ANONYMOUS;
        if request.known.user.as_ref().is_some_and(is_known) || request.is_owed() {
            return false;
        }
        let second = request.received.unix_s();
        if self.strangers.lock().unwrap_or_else(PoisonError::into_inner).second != second {
            self.tell_of_strangers();
        }
        let mut strangers = self.strangers.lock().unwrap_or_else(PoisonError::into_inner);
        strangers.second = second;
        strangers.lines += 1;
        let is_one_too_many = strangers.lines > LINES_A_SECOND;
        strangers.untold += u64::from(is_one_too_many);
        is_one_too_many
    }

    /// Tells how many had no line. On a full disk they are counted on: what room is left is not for them.
    pub(super) fn tell_of_strangers(&self) {
        if self.is_full() {
            return;
        }
        let told = std::mem::take(&mut *self.strangers.lock().unwrap_or_else(PoisonError::into_inner));
        if told.untold > 0 {
            let untold = told.untold;
            self.note(&format!("{untold} more requests of nobody were refused"), &[], Spans::default());
        }
    }
}
