//! What of an object a write is about.

/// What of an object a write is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The object itself.
    Main,
    /// Its status.
    Status,
    /// How many there are to be.
    Scale,
    /// What holds a namespace.
    Finalize,
    /// The node of a pod.
    Binding,
    /// Another part of the object, that is written as the object itself is: by this name.
    Other(&'static str),
}

impl Part {
    /// As `managedFields` names it: empty for the object itself.
    pub(crate) fn subresource(self) -> &'static str {
        match self {
            Part::Main => "",
            Part::Status => "status",
            Part::Scale => "scale",
            Part::Finalize => "finalize",
            Part::Binding => "binding",
            Part::Other(name) => name,
        }
    }
}
