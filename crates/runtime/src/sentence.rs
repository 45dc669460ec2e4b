//! Errors in words for people.

use std::error::Error;
use std::process::Output;

use kube::client::AuthError;
use kube::config::KubeconfigError;
use kube::core::Status;

/// What an error says to people: what a server said, or what is at the bottom of it. Libraries say on the way down what they were
/// doing, in words of their own.
pub fn sentence(error: &(dyn Error + 'static)) -> String {
    let causes = || std::iter::successors(Some(error), |error: &&(dyn Error + 'static)| (*error).source());
    let said = causes().find_map(said);
    let words = said.or_else(|| causes().last().map(ToString::to_string)).unwrap_or_default();
    let words = clause(&words.split_whitespace().map(without_userinfo).collect::<Vec<_>>().join(" "));
    match words.contains("invalid peer certificate") {
        true => format!("{words}: it is not the server that the kubeconfig trusts (certificate-authority)"),
        false => words,
    }
}

/// What others said, so that our words can go on after it: in one line, and without the full stop at its end.
pub fn clause(said: &str) -> String {
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.strip_suffix('.') {
        Some(rest) if !rest.ends_with('.') => rest.to_owned(),
        _ => words,
    }
}

/// What a server said, or a program that was to give credentials: what libraries make of these is no sentence.
fn said(cause: &(dyn Error + 'static)) -> Option<String> {
    if let Some(kube::Error::Api(status)) = cause.downcast_ref() {
        return Some(status.message.clone());
    }
    if let Some(status) = cause.downcast_ref::<Box<Status>>() {
        return Some(status.message.clone());
    }
    if let Some(KubeconfigError::Parse(error)) = cause.downcast_ref() {
        // The reader's own words show the lines around the place, and these may hold a token.
        return Some(match error.location() {
            Some(place) => {
                format!("line {}, column {} is not what a kubeconfig has there", place.line(), place.column())
            }
            None => "it is no kubeconfig".to_owned(),
        });
    }
    match cause.downcast_ref()? {
        AuthError::AuthExecRun { out, .. } => Some(format!("{PROGRAM} {}", ended(out))),
        AuthError::AuthExecStart(error) => Some(format!("{PROGRAM} cannot be run: {error}")),
        _ => None,
    }
}

/// Its command is not told: the library has it with all that its environment was given.
const PROGRAM: &str = "the program that is to give credentials for the kubeconfig";

/// How a program ended. What it printed as its result is not told: that may be a token.
fn ended(output: &Output) -> String {
    let ended = match output.status.code() {
        Some(code) => format!("ended with code {code}"),
        None => "was killed".to_owned(),
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    match complaint.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!("{ended}: {line}"),
        None => format!("{ended}, and does not say why"),
    }
}

/// A word of it, without what stands before the `@` of an address: that may be a password, and sentences are shown to many.
fn without_userinfo(word: &str) -> String {
    let Some((before, rest)) = word.split_once("://") else { return word.to_owned() };
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..authority].rfind('@').map_or(0, |at| at + 1);
    format!("{before}://{}", &rest[host..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("client error (Connect)")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn what_is_at_the_bottom_is_said_in_one_line() {
        let error = Outer(std::io::Error::other("Connection\n  refused"));
        assert_eq!(sentence(&error), "Connection refused");
        let error = Outer(std::io::Error::other("invalid peer certificate: UnknownIssuer"));
        assert!(sentence(&error).contains("it is not the server that the kubeconfig trusts"));
    }

    #[test]
    fn what_others_said_ends_where_ours_goes_on() {
        for (said, told) in [
            ("no room left.", "no room left"),
            ("one.\n two.\n", "one. two"),
            ("it waits ...", "it waits ..."),
            ("is it?", "is it?"),
            ("", ""),
        ] {
            assert_eq!(clause(said), told);
        }
        assert_eq!(sentence(&Outer(std::io::Error::other("there is no more."))), "there is no more");
    }

    #[test]
    fn no_address_is_told_with_a_password() {
        let said = |words: &str| sentence(&Outer(std::io::Error::other(words.to_owned())));
        assert_eq!(said("no way to 'http://me:sekrit@one:1/a@b' now"), "no way to 'http://one:1/a@b' now");
        assert_eq!(said("https://p@ss@one?x https://two me@three"), "https://one?x https://two me@three");
    }

    #[test]
    fn what_does_not_parse_of_a_kubeconfig_is_not_shown() {
        let text = "users:\n- name: u\n  user:\n    token: sekrit\n   x: {";
        let error = kube::config::Kubeconfig::from_yaml(text).expect_err("it does not parse");
        assert!(error.to_string().contains("sekrit"), "then this is for nothing: {error}");
        let said = sentence(&error);
        assert!(said.starts_with("line ") && said.ends_with(" is not what a kubeconfig has there"), "{said}");
    }

    #[test]
    fn what_a_server_said_is_said() {
        let status = kube::core::Status::failure("no such thing", "NotFound").with_code(404);
        assert_eq!(sentence(&kube::Error::Api(status.boxed())), "no such thing");
    }

    #[test]
    fn a_program_that_fails_is_told_without_its_output() {
        use std::os::unix::process::ExitStatusExt;
        let failed = |code: i32, stderr: &str| {
            let out = Output {
                status: std::process::ExitStatus::from_raw(code),
                stdout: b"sekrit".to_vec(),
                stderr: stderr.into(),
            };
            let cmd = "KUBERNETES_EXEC_INFO=\"sekrit\" \"aws\" \"eks\"".to_owned();
            let error = AuthError::AuthExecRun { cmd, out: Box::new(out) };
            sentence(&kube::Error::Service(Box::new(kube::Error::Auth(error))))
        };
        assert_eq!(
            failed(255 << 8, "Trace:\n  no credentials\n\n"),
            format!("{PROGRAM} ended with code 255: no credentials")
        );
        assert_eq!(failed(9, ""), format!("{PROGRAM} was killed, and does not say why"));
    }
}
