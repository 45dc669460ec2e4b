//! The name of a model on the command line.

use std::ffi::OsStr;

use bowline_models::catalogue;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

/// Takes any name, and tells help and completion those that there are. What is none of them is refused when
/// the request is read, which knows `seed/irsa` for what is meant by `irsa`.
#[derive(Clone)]
pub(crate) struct ModelName;

impl TypedValueParser for ModelName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(catalogue().iter().map(|entry| PossibleValue::new(entry.name))))
    }
}
