//! What must not be printed is not, to whoever listens for the finest of logs.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use bowline_aws::{Iam, Secret, WebIdentity};
use bowline_e2e_aws::fake::{ACCESS_KEY, SESSION_SECRET, SESSION_TOKEN};
use tracing_subscriber::fmt::MakeWriter;

use crate::bed;

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Heard {
    type Writer = Heard;

    fn make_writer(&'a self) -> Heard {
        self.clone()
    }
}

#[tokio::test]
async fn no_secret_is_heard_at_any_level() -> Result<()> {
    let heard = Heard::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(heard.clone());
    // All of this test runs on this thread.
    let _listening = tracing::subscriber::set_default(subscriber.finish());

    let bed = bed().await?;
    let role_arn = bed.client.create_role(&bed.role("r")).await?.arn;
    let shown = bed.token()?;
    let by = |token: &str| WebIdentity {
        role_arn: role_arn.clone(),
        session: "s".to_owned(),
        token: Secret::new(token),
    };
    bed.client.assume_role_with_web_identity(&by(&shown)).await?;
    let refused = bed.client.assume_role_with_web_identity(&by("not-a-token")).await;
    let errors = format!("{refused:?}");

    let heard = String::from_utf8_lossy(&heard.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
    assert!(heard.contains("AWS was called") && heard.contains("sts:AssumeRoleWithWebIdentity"), "{heard}");
    for secret in ["a-secret-key", "a-session-token", &shown, "not-a-token", SESSION_SECRET, SESSION_TOKEN] {
        assert!(!heard.contains(secret) && !errors.contains(secret), "{secret} was heard:\n{heard}{errors}");
    }
    assert!(!heard.contains(ACCESS_KEY));
    Ok(())
}
