//! What an endpoint is set to.

use std::{fmt, sync::Arc, time::Duration};

use tokio::sync::Semaphore;

use crate::guard::{
    authority::Authority,
    host::Hosts,
    origin::{Origin, Origins},
};

/// The environment variable that lists hosts.
const ALLOWED_HOSTS: &str = "RELAY_ALLOWED_HOSTS";
/// The environment variable that lists origins.
const ALLOWED_ORIGINS: &str = "RELAY_ALLOWED_ORIGINS";

/// A setting that can't be used. It names the setting, as it is called in code or in the
/// environment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// An entry of a list of hosts is none.
    #[error(
        "{setting}: {entry:?} is no host; write a name or an address, and a port if only one will do, such as \"mcp.example.com\""
    )]
    Host {
        /// Which setting.
        setting: &'static str,
        /// The entry.
        entry: String,
    },
    /// An entry of a list of origins is none.
    #[error(
        "{setting}: {entry:?} is no origin; write a scheme and a host, and a port if only one will do, such as \"https://app.example.com\""
    )]
    Origin {
        /// Which setting.
        setting: &'static str,
        /// The entry.
        entry: String,
    },
    /// An amount or a time is outside of what can work.
    #[error("{setting}: {given} is out of range; {range}")]
    OutOfRange {
        /// Which setting.
        setting: &'static str,
        /// What was given.
        given: String,
        /// What can be given.
        range: &'static str,
    },
    /// An environment variable is not text.
    #[error("{setting}: its value is not UTF-8")]
    NotText {
        /// Which variable.
        setting: &'static str,
    },
}

/// The values of all settings.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) hosts: Hosts,
    pub(crate) origins: Origins,
    pub(crate) body_limit: usize,
    /// One permit for each byte of a body that is held.
    pub(crate) bodies: Arc<Semaphore>,
    pub(crate) body_memory_limit: usize,
    pub(crate) body_timeout: Duration,
    /// One permit for each request that is served.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) keep_alive_interval: Duration,
    pub(crate) stream_delay: Duration,
    pub(crate) unauthenticated: bool,
    pub(crate) replicated: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let body_memory_limit = 256 * 1024 * 1024;
        Self {
            hosts: Hosts::loopback(),
            origins: Origins::Loopback,
            body_limit: 4 * 1024 * 1024,
            bodies: Arc::new(Semaphore::new(body_memory_limit)),
            body_memory_limit,
            body_timeout: Duration::from_secs(30),
            slots: Arc::new(Semaphore::new(1024)),
            keep_alive_interval: Duration::from_secs(15),
            stream_delay: Duration::from_secs(5),
            unauthenticated: false,
            replicated: false,
        }
    }
}

impl Settings {
    pub(crate) fn set_hosts<S: AsRef<str>>(
        &mut self,
        setting: &'static str,
        entries: impl IntoIterator<Item = S>,
    ) -> Result<(), SettingError> {
        let entries = parse(entries, Authority::parse, |entry| SettingError::Host {
            setting,
            entry,
        })?;
        self.hosts.allow(entries);
        Ok(())
    }

    pub(crate) fn set_origins<S: AsRef<str>>(
        &mut self,
        setting: &'static str,
        entries: impl IntoIterator<Item = S>,
    ) -> Result<(), SettingError> {
        let entries = parse(entries, Origin::parse, |entry| SettingError::Origin {
            setting,
            entry,
        })?;
        self.origins = Origins::Listed(entries);
        Ok(())
    }

    /// Takes the two lists from where an operator sets them; `read` gives a variable's value.
    pub(crate) fn set_environment(
        &mut self,
        read: impl Fn(&'static str) -> Result<Option<String>, SettingError>,
    ) -> Result<(), SettingError> {
        let list = |value: &str| -> Vec<String> {
            let entries = value.split(',').map(str::trim);
            entries
                .filter(|entry| !entry.is_empty())
                .map(str::to_owned)
                .collect()
        };
        match read(ALLOWED_HOSTS)? {
            None => {}
            Some(value) if value.trim() == "*" => self.hosts = Hosts::Any,
            Some(value) => self.set_hosts(ALLOWED_HOSTS, list(&value))?,
        }
        match read(ALLOWED_ORIGINS)? {
            None => {}
            Some(value) if value.trim() == "*" => self.origins = Origins::Any,
            Some(value) => self.set_origins(ALLOWED_ORIGINS, list(&value))?,
        }
        Ok(())
    }

    pub(crate) fn set_body_limit(&mut self, bytes: usize) -> Result<(), SettingError> {
        self.body_limit = within(
            "with_body_limit",
            bytes,
            1..=self.body_memory_limit,
            "a body has at least 1 byte, and at most as many as `with_body_memory_limit` allows together",
        )?;
        Ok(())
    }

    pub(crate) fn set_body_memory_limit(&mut self, bytes: usize) -> Result<(), SettingError> {
        self.body_memory_limit = within(
            "with_body_memory_limit",
            bytes,
            self.body_limit..=Semaphore::MAX_PERMITS,
            "together, bodies have room for at least the largest one that `with_body_limit` allows",
        )?;
        self.bodies = Arc::new(Semaphore::new(bytes));
        Ok(())
    }

    pub(crate) fn set_request_limit(&mut self, requests: usize) -> Result<(), SettingError> {
        let requests = within(
            "with_request_limit",
            requests,
            1..=Semaphore::MAX_PERMITS,
            "at least 1 request is served at a time",
        )?;
        self.slots = Arc::new(Semaphore::new(requests));
        Ok(())
    }
}

/// From nothing to more than a timer can wait for is no time to set.
pub(crate) fn time(setting: &'static str, given: Duration) -> Result<Duration, SettingError> {
    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
    within(
        setting,
        given,
        Duration::from_millis(1)..=LONGEST,
        "give 1 millisecond to 24 hours",
    )
}

pub(crate) fn within<T: PartialOrd + fmt::Debug>(
    setting: &'static str,
    given: T,
    range: std::ops::RangeInclusive<T>,
    said: &'static str,
) -> Result<T, SettingError> {
    if range.contains(&given) {
        return Ok(given);
    }
    Err(SettingError::OutOfRange {
        setting,
        given: format!("{given:?}"),
        range: said,
    })
}

fn parse<S: AsRef<str>, T>(
    entries: impl IntoIterator<Item = S>,
    parse: fn(&str) -> Option<T>,
    error: impl Fn(String) -> SettingError,
) -> Result<Vec<T>, SettingError> {
    entries
        .into_iter()
        .map(|entry| {
            let entry = entry.as_ref();
            parse(entry.trim()).ok_or_else(|| error(entry.to_owned()))
        })
        .collect()
}

/// The value of an environment variable.
pub(crate) fn variable(name: &'static str) -> Result<Option<String>, SettingError> {
    std::env::var_os(name)
        .map(|value| {
            value
                .into_string()
                .map_err(|_not_text| SettingError::NotText { setting: name })
        })
        .transpose()
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Uri};

    use super::*;

    fn admits(settings: &Settings, host: &str) -> bool {
        let headers = HeaderMap::from_iter([(http::header::HOST, host.parse().unwrap())]);
        settings.hosts.admit(&Uri::from_static("/"), &headers)
    }

    // HTTP-05
    #[test]
    fn the_environment_lists_hosts_and_origins() {
        let mut settings = Settings::default();
        let set = |name| {
            Ok(Some(match name {
                ALLOWED_HOSTS => " mcp.example.com , b.example:1,".to_owned(),
                _ => String::new(),
            }))
        };
        settings.set_environment(set).unwrap();
        assert!(admits(&settings, "mcp.example.com:8080") && admits(&settings, "localhost"));
        assert!(!admits(&settings, "b.example"));
        assert_eq!(settings.origins, Origins::Listed(Vec::new()));

        settings
            .set_environment(|_| Ok(Some("*".to_owned())))
            .unwrap();
        assert!(admits(&settings, "anything.example"));
        assert_eq!(settings.origins, Origins::Any);

        let mut untouched = Settings::default();
        untouched.set_environment(|_| Ok(None)).unwrap();
        assert_eq!(untouched.origins, Origins::Loopback);
        assert!(!admits(&untouched, "mcp.example.com"));
    }

    #[test]
    fn unusable_settings_are_named() {
        let mut settings = Settings::default();
        let http = |_| Ok(Some("https://mcp.example.com".to_owned()));
        let error = settings.set_environment(http).unwrap_err().to_string();
        assert!(
            error.starts_with("RELAY_ALLOWED_HOSTS: \"https://mcp"),
            "{error}"
        );
        let error = settings
            .set_origins("with_allowed_origins", ["null"])
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("with_allowed_origins: \"null\"")
        );
        for error in [
            settings.set_body_limit(0).unwrap_err(),
            settings.set_body_limit(usize::MAX).unwrap_err(),
            settings.set_body_memory_limit(1).unwrap_err(),
            settings.set_body_memory_limit(usize::MAX).unwrap_err(),
            settings.set_request_limit(0).unwrap_err(),
            time("with_keep_alive_interval", Duration::ZERO).unwrap_err(),
            time("with_keep_alive_interval", Duration::MAX).unwrap_err(),
        ] {
            assert!(error.to_string().starts_with("with_"), "{error}");
        }
        assert!(settings.set_body_limit(10).is_ok() && settings.set_body_memory_limit(10).is_ok());
    }
}
