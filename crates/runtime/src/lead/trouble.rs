//! What keeps a process from its lease: told once, however often it is tried, and once more when it is over.

use bowline_control::Version;

/// What was asked of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    Read,
    Write,
}

/// What is wrong now.
#[derive(Default)]
pub(super) struct Trouble(Option<Wrong>);

struct Wrong {
    why: String,
    asked: Asked,
    /// The lease as it was known then.
    version: Option<Version>,
}

/// What the log is told.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum News {
    Wrong(String),
    Over,
}

impl News {
    pub(super) fn tell(self, lease: &str) {
        match self {
            News::Wrong(why) => tracing::warn!(lease, why, "the lease cannot be had; it is tried again"),
            News::Over => tracing::info!(lease, "the lease can be had again"),
        }
    }
}

impl Trouble {
    /// What is wrong, in words.
    pub(super) fn why(&self) -> Option<&str> {
        self.0.as_ref().map(|wrong| wrong.why.as_str())
    }

    /// A request did not work.
    pub(super) fn failed(&mut self, why: String, asked: Asked, version: Option<Version>) -> Option<News> {
        let is_new = self.why() != Some(&why);
        self.0 = Some(Wrong { why: why.clone(), asked, version });
        is_new.then_some(News::Wrong(why))
    }

    /// A request worked. Who could not write the lease may be able to read it all the time: that is over when it is written, by us
    /// or by somebody else.
    pub(super) fn worked(&mut self, asked: Asked, version: Option<Version>) -> Option<News> {
        let wrong = self.0.as_ref()?;
        if wrong.asked == Asked::Write && asked == Asked::Read && wrong.version == version {
            return None;
        }
        self.0 = None;
        Some(News::Over)
    }

    /// The lease was shown, without having been asked for: if it is not as it was, somebody has written it.
    pub(super) fn shown(&mut self, version: Option<Version>) -> Option<News> {
        let wrong = self.0.take_if(|wrong| wrong.version != version);
        wrong.map(|_| News::Over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_wrong_is_told_once_until_it_is_over() {
        let (mut trouble, at) = (Trouble::default(), |version| Some(Version(version)));
        let full = || "no room".to_owned();
        assert_eq!(trouble.worked(Asked::Read, at(1)), None);
        assert_eq!(trouble.failed(full(), Asked::Write, at(1)), Some(News::Wrong(full())));
        for _ in 0..3 {
            assert_eq!(trouble.worked(Asked::Read, at(1)), None, "that says nothing of writes");
            assert_eq!(trouble.failed(full(), Asked::Write, at(1)), None);
        }
        assert_eq!(trouble.why(), Some("no room"));
        assert_eq!(trouble.worked(Asked::Write, at(2)), Some(News::Over));
        assert_eq!(trouble.worked(Asked::Write, at(3)), None);
        assert_eq!(trouble.why(), None);
        assert_eq!(trouble.failed(full(), Asked::Write, at(3)), Some(News::Wrong(full())), "it is new");
        assert_eq!(trouble.worked(Asked::Read, at(4)), Some(News::Over), "somebody has written it");
        assert_eq!(trouble.failed(full(), Asked::Write, at(4)), Some(News::Wrong(full())));
        assert_eq!(trouble.shown(at(4)), None, "it is as it was");
        assert_eq!(trouble.shown(at(5)), Some(News::Over));
        assert_eq!(trouble.shown(at(6)), None);
        let silent = || "no answer".to_owned();
        assert_eq!(trouble.failed(silent(), Asked::Read, at(4)), Some(News::Wrong(silent())));
        assert_eq!(trouble.worked(Asked::Read, at(4)), Some(News::Over));
        assert_eq!(trouble.failed(silent(), Asked::Read, None), Some(News::Wrong(silent())));
        assert_eq!(trouble.failed(full(), Asked::Write, None), Some(News::Wrong(full())), "it is another");
    }
}
