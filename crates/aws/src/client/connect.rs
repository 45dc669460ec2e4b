//! Where AWS is, and who we are to it: the SDK's ways of finding out, with a client of HTTP that has our TLS.

use aws_config::environment::region::EnvironmentVariableRegionProvider;
use aws_config::imds::region::ImdsRegionProvider;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider};
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{AppName, BehaviorVersion, Region, SdkConfig};
use aws_sdk_iam::config::{Credentials, SharedCredentialsProvider, SharedHttpClient};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use http::Uri;

use crate::settings::{Keys, Settings, Unset};

/// Where there is no region and the address is somebody's own, requests have to be signed for one all the same.
const ANY_REGION: &str = "us-east-1";

pub(super) async fn config(settings: &Settings) -> Result<SdkConfig, Unset> {
    let http = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let region = region(settings, &http).await.ok_or(Unset::Region)?;
    let timeouts = TimeoutConfig::builder().connect_timeout(settings.connect_timeout).build();
    // A version by its name: the newest would change with the SDK, and newer ones have turned retries on before.
    let mut loader = aws_config::defaults(BehaviorVersion::v2026_01_12())
        .http_client(http.clone())
        .region(region.clone())
        .retry_config(RetryConfig::disabled())
        .timeout_config(timeouts)
        // The whole call has its limit.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
    if let Ok(name) = AppName::new("bowline") {
        loader = loader.app_name(name);
    }
    if let Some(endpoint) = &settings.endpoint {
        loader = loader.endpoint_url(checked(endpoint)?);
    }
    if let Some(profile) = &settings.profile {
        // Somebody has named it: keys that stand in the environment are of somebody else, and would come first.
        let ours = ProviderConfig::without_region().with_region(Some(region)).with_http_client(http);
        let named = ProfileFileCredentialsProvider::builder().profile_name(profile).configure(&ours).build();
        loader = loader.profile_name(profile).credentials_provider(named);
    }
    if let Some(keys) = &settings.keys {
        loader = loader.credentials_provider(SharedCredentialsProvider::new(credentials(keys)));
    }
    Ok(loader.load().await)
}

async fn region(settings: &Settings, http: &SharedHttpClient) -> Option<Region> {
    let given = settings.region.clone().map(Region::new);
    let mut profile = ProfileFileRegionProvider::builder();
    if let Some(name) = &settings.profile {
        profile = profile.profile_name(name);
    }
    let chain = RegionProviderChain::first_try(given)
        .or_else(EnvironmentVariableRegionProvider::new())
        .or_else(profile.build());
    let otherwise = settings.region_otherwise.clone().map(Region::new);
    match settings.endpoint {
        // Not every machine answers when it is asked for its metadata, and that takes seconds.
        Some(_) => chain.or_else(otherwise.unwrap_or(Region::from_static(ANY_REGION))).region().await,
        None => {
            let ours = ProviderConfig::without_region().with_http_client(http.clone());
            let machine = ImdsRegionProvider::builder().configure(&ours).build();
            chain.or_else(machine).or_else(otherwise).region().await
        }
    }
}

fn checked(endpoint: &str) -> Result<&str, Unset> {
    let is_address = endpoint.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    });
    if is_address { Ok(endpoint) } else { Err(Unset::Endpoint(endpoint.to_owned())) }
}

fn credentials(keys: &Keys) -> Credentials {
    let session = keys.session.as_ref().map(|session| session.reveal().to_owned());
    Credentials::new(&keys.access, keys.secret.reveal(), session, None, "settings")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_an_address() {
        for good in ["http://127.0.0.1:5000", "https://iam.example", "http://[::1]:1/path"] {
            assert_eq!(checked(good), Ok(good));
        }
        for bad in ["", "127.0.0.1:5000", "localhost", "ftp://x", "http://", "http:// x"] {
            assert_eq!(checked(bad), Err(Unset::Endpoint(bad.to_owned())), "{bad}");
        }
    }

    #[tokio::test]
    async fn an_endpoint_of_ones_own_needs_no_region() {
        let http = Builder::new().build_http();
        let settings = Settings { endpoint: Some("http://127.0.0.1:1".to_owned()), ..Settings::default() };
        assert!(region(&settings, &http).await.is_some());
        let settings = Settings { region: Some("eu-north-1".to_owned()), ..Settings::default() };
        assert_eq!(region(&settings, &http).await, Some(Region::from_static("eu-north-1")));
        let settings = Settings { region_otherwise: Some("cn-north-1".to_owned()), ..settings };
        assert_eq!(region(&settings, &http).await, Some(Region::from_static("eu-north-1")));
    }
}
