//! AWS's Query protocol: a form in, XML out.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

use super::refusal::Refusal;

/// The fields of a request.
#[derive(Clone, Debug)]
pub(crate) struct Form(BTreeMap<String, String>);

impl Form {
    /// Reads a form.
    pub(crate) fn parse(body: &[u8]) -> Form {
        let text = String::from_utf8_lossy(body);
        let decode =
            |part: &str| percent_decode_str(&part.replace('+', " ")).decode_utf8_lossy().into_owned();
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        Form(pairs.map(|(name, value)| (decode(name), decode(value))).collect())
    }

    /// The call.
    pub(crate) fn action(&self) -> &str {
        self.get("Action").unwrap_or_default()
    }

    /// A field, if it is there.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether it is about the policy, or the role, that is called this.
    pub(crate) fn is_about(&self, name: &str) -> bool {
        let is_policy = |arn: &str| arn.rsplit_once('/').is_some_and(|(_, called)| called == name);
        let is = |field: &str| self.get(field) == Some(name);
        is("RoleName") || is("PolicyName") || self.get("PolicyArn").is_some_and(is_policy)
    }

    /// A field that has to be there.
    pub(super) fn need(&self, name: &str) -> Result<&str, Refusal> {
        self.get(name).ok_or_else(|| {
            let field = first_lower(name);
            Refusal::validation(format!(
                "1 validation error detected: Value null at '{field}' failed to satisfy constraint: Member must not be \
                 null"
            ))
        })
    }

    /// `Tags.member.1.Key` and so on, as they stand there.
    pub(super) fn tags(&self) -> Vec<(String, String)> {
        let field = |number: usize, part: &str| self.get(&format!("Tags.member.{number}.{part}"));
        (1..)
            .map_while(|number| Some((field(number, "Key")?, field(number, "Value").unwrap_or_default())))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    }
}

/// AWS speaks of `roleName` where the field is `RoleName`.
pub(super) fn first_lower(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase().to_string() + letters.as_str()).unwrap_or_default()
}

/// XML in the making.
#[derive(Default)]
pub(super) struct Xml(String);

impl Xml {
    /// An element with text.
    pub(super) fn text(&mut self, tag: &str, text: &str) {
        let text =
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        self.0.push_str(&format!("<{tag}>{text}</{tag}>"));
    }

    /// An element with elements.
    pub(super) fn within(&mut self, tag: &str, write: impl FnOnce(&mut Xml)) {
        self.0.push_str(&format!("<{tag}>"));
        write(self);
        self.0.push_str(&format!("</{tag}>"));
    }

    /// The whole answer to a call.
    pub(super) fn answer(action: &str, request: &str, result: &Xml) -> String {
        let namespace = if is_sts(action) { STS } else { IAM };
        let result = &result.0;
        format!(
            "<{action}Response xmlns=\"{namespace}\"><{action}Result>{result}</{action}Result><ResponseMetadata>\
             <RequestId>{request}</RequestId></ResponseMetadata></{action}Response>"
        )
    }

    /// The whole answer that says no.
    pub(super) fn refusal(action: &str, request: &str, refusal: &Refusal) -> String {
        let namespace = if is_sts(action) { STS } else { IAM };
        let mut xml = Xml::default();
        xml.within("Error", |xml| {
            xml.text("Type", if refusal.status < 500 { "Sender" } else { "Receiver" });
            xml.text("Code", refusal.code);
            xml.text("Message", &refusal.message);
        });
        let error = xml.0;
        format!(
            "<ErrorResponse xmlns=\"{namespace}\">{error}<RequestId>{request}</RequestId></ErrorResponse>"
        )
    }
}

const IAM: &str = "https://iam.amazonaws.com/doc/2010-05-08/";
const STS: &str = "https://sts.amazonaws.com/doc/2011-06-15/";

/// It is a call of the security token service.
pub(super) fn is_sts(action: &str) -> bool {
    action == "GetCallerIdentity" || action.starts_with("AssumeRole")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_with_its_lists() {
        let form = Form::parse(
            b"Action=TagRole&Tags.member.1.Key=a%2Fb&Tags.member.1.Value=c+d%2B&Tags.member.2.Key=e",
        );
        assert_eq!(form.action(), "TagRole");
        let tags = [("a/b", "c d+"), ("e", "")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(form.tags(), tags);
        let refusal = form.need("RoleName").err().map(|refusal| refusal.message).unwrap_or_default();
        assert!(refusal.contains("'roleName'"), "{refusal}");
    }

    #[test]
    fn a_form_is_about_a_policy_or_a_role() {
        let of = |body: &str| Form::parse(body.as_bytes());
        let arn = "PolicyArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Apolicy%2Fteam%2Fx-1";
        assert!(of("RoleName=x-1").is_about("x-1") && of("PolicyName=x-1").is_about("x-1"));
        assert!(of(arn).is_about("x-1") && of(&format!("RoleName=y&{arn}")).is_about("x-1"));
        assert!(
            !of("RoleName=x-10").is_about("x-1")
                && !of(arn).is_about("1")
                && !of("Action=x-1").is_about("x-1")
        );
    }

    #[test]
    fn text_is_escaped() {
        let mut xml = Xml::default();
        xml.within("A", |xml| xml.text("B", "<&>\""));
        assert_eq!(xml.0, "<A><B>&lt;&amp;&gt;&quot;</B></A>");
    }
}
