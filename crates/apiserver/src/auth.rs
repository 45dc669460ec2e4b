//! Who asks, and whether they may.
//!
//! The shape, from the outside:
//!
//! ```text
//! pki::Pki::load(&Directory, &pki::Names, Moment) -> Result<Pki, PkiError>      CA, server and admin certificates
//!     .tls() -> Arc<rustls::ServerConfig>                                       for the acceptor
//!     .peer(&[CertificateDer]) -> pki::Peer                                     once a connection; an extension of its requests
//!     .write_kubeconfig(&Directory, server_url) -> Result<(), PkiError>
//! tokens::Tokens::load(&Directory) -> Result<Tokens, PkiError>
//!     .request(&View, namespace, name, Json, Moment) -> Result<Json, Status>    POST …/serviceaccounts/NAME/token
//!     .openid_configuration(address) / .jwks() -> Value
//! Auth::new(Tokens, &View) -> Auth
//!     .refresh(&View, &[Change])                                                in the publish hook
//!     .rules() -> Arc<Rules>
//!     .identify(&http::request::Parts, &Hub) -> Result<User, Status>            401; impersonation, 403
//! rbac::Rules::build(&View) -> Rules
//!     .authorize(&Attributes) -> Result<Grant, Status>                          403 in the words of the API
//! rbac::roles::Write { verb, plural, namespace, name, old: Option<&Json>, new: &Json }
//!     escalation::check(&Rules, &User, &Write) -> Result<(), Status>            before validation
//!     validation::check(&Write) -> Result<(), Status>
//! rbac::aggregation::updates(&View) -> Vec<(Key, rules: Value)>                 the chore of aggregated roles
//! reviews::create(Review, &reviews::Context, Json) -> Result<Json, Status>      what is posted to the review kinds
//! bootstrap::due(&View) -> Vec<bootstrap::Due>                                  what to create or replace at start
//! ```
