//! Why something could not be seen, told apart by what can be done about it.

use bowline_runtime::sentence;

use super::request::Trouble;

/// Why something could not be seen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unseen {
    /// Whoever asks may not see it.
    #[error("{0}")]
    Forbidden(String),
    /// Whoever asks is not known there: the credentials are wrong, or have expired.
    #[error("{0}")]
    Stranger(String),
    /// There was no answer, or none that says anything.
    #[error("{0}")]
    Silent(String),
    /// It is not there, or not as it should be.
    #[error("{0}")]
    Wrong(String),
}

impl Unseen {
    /// The same with more words around it.
    pub(crate) fn told(self, how: impl FnOnce(&str) -> String) -> Unseen {
        match self {
            Unseen::Forbidden(why) => Unseen::Forbidden(how(&why)),
            Unseen::Stranger(why) => Unseen::Stranger(how(&why)),
            Unseen::Silent(why) => Unseen::Silent(how(&why)),
            Unseen::Wrong(why) => Unseen::Wrong(how(&why)),
        }
    }
}

impl From<kube::Error> for Unseen {
    fn from(error: kube::Error) -> Unseen {
        let words = sentence(&error);
        match error {
            kube::Error::Api(status) if status.code == 403 => Unseen::Forbidden(words),
            kube::Error::Api(status) if status.code == 401 => Unseen::Stranger(words),
            kube::Error::Api(status) if (400..500).contains(&status.code) => Unseen::Wrong(words),
            _ => Unseen::Silent(words),
        }
    }
}

impl From<Trouble> for Unseen {
    fn from(trouble: Trouble) -> Unseen {
        match trouble {
            Trouble::Said { code: 403, words, .. } => Unseen::Forbidden(words),
            Trouble::Said { words, .. } => Unseen::Wrong(words),
            Trouble::Open(words) | Trouble::Silence(words) => Unseen::Silent(words),
        }
    }
}

/// Who tries again later needs the words alone.
impl From<Unseen> for String {
    fn from(unseen: Unseen) -> String {
        unseen.to_string()
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn who_may_not_is_told_from_who_gets_no_answer() {
        let api = |code| kube::Error::Api(Box::new(Status::failure("why", "Reason").with_code(code)));
        let why = || "why".to_owned();
        assert_eq!(Unseen::from(api(403)), Unseen::Forbidden(why()));
        assert_eq!(Unseen::from(api(401)), Unseen::Stranger(why()));
        assert_eq!(Unseen::from(api(404)), Unseen::Wrong(why()));
        assert_eq!(Unseen::from(api(503)), Unseen::Silent(why()));
        let said = |code| Trouble::Said { code, words: why(), about: String::new() };
        assert_eq!(Unseen::from(said(403)), Unseen::Forbidden(why()));
        assert_eq!(Unseen::from(said(422)), Unseen::Wrong(why()));
        let silent = Unseen::from(Trouble::Silence(why())).told(|why| format!("x: {why}"));
        assert_eq!(silent, Unseen::Silent("x: why".into()));
    }
}
