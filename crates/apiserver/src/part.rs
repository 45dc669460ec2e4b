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
    /// The containers that somebody who looks into a pod adds to it.
    EphemeralContainers,
    /// What the containers of a pod need, and may have.
    Resize,
    /// Whether somebody gets the certificate that they ask for.
    Approval,
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
            Part::EphemeralContainers => "ephemeralcontainers",
            Part::Resize => "resize",
            Part::Approval => "approval",
            Part::Other(name) => name,
        }
    }
}
