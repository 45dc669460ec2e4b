//! Label selectors.

use super::parser;
use super::requirement::{Operator, Requirement};

/// A selector of objects by their labels: `a=b,c!=d,e in (f,g),h,!i`. The empty one selects all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    requirements: Vec<Requirement>,
}

/// One of a `LabelSelector`'s `matchExpressions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// The label that it is about.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// The values of `In` and `NotIn`.
    pub values: Vec<String>,
}

impl Labels {
    /// Reads a selector as it stands in a URL.
    ///
    /// # Errors
    /// What Kubernetes says.
    pub fn parse(text: &str) -> Result<Labels, String> {
        Ok(Labels::sorted(parser::parse(text)?))
    }

    /// The selector that a `LabelSelector` means, which is there: one that is not selects nothing.
    ///
    /// # Errors
    /// What Kubernetes says.
    pub fn from_match<'a>(
        labels: impl IntoIterator<Item = (&'a str, &'a str)>,
        expressions: &[Expression],
    ) -> Result<Labels, String> {
        let equals =
            |(key, value): (&str, &str)| Requirement::new(key, Operator::Equals, vec![value.to_owned()]);
        let mut requirements = labels.into_iter().map(equals).collect::<Result<Vec<_>, _>>()?;
        for Expression { key, operator, values } in expressions {
            let operator = match operator.as_str() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    let other = super::go::quoted(other);
                    return Err(format!("{other} is not a valid label selector operator"));
                }
            };
            requirements.push(Requirement::new(key, operator, values.clone())?);
        }
        Ok(Labels::sorted(requirements))
    }

    fn sorted(mut requirements: Vec<Requirement>) -> Labels {
        requirements.sort_by(|one, other| one.key.cmp(&other.key));
        Labels { requirements }
    }

    /// Whether an object with these labels is selected.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| requirement.matches(label(&requirement.key)))
    }

    /// Whether everything is selected.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }
}
