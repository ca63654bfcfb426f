use http::{HeaderMap, HeaderValue, header::ORIGIN};

use super::authority::Authority;

/// Which pages may send requests (HTTP-02 to HTTP-04).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origins {
    /// Pages of this machine; cross-origin reading is not offered to them.
    Loopback,
    /// These; browsers may read the answers.
    Listed(Vec<Origin>),
    /// Any; browsers may read the answers.
    Any,
}

/// One origin: scheme, host, and a port where one was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: String,
    authority: Authority,
}

/// What came of a request's `Origin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// There is none: not a browser.
    Absent,
    /// It may send requests, and read answers if `cors`.
    Allowed {
        origin: HeaderValue,
        cors: bool,
    },
    Refused,
}

impl Origin {
    /// Reads `scheme://host` or `scheme://host:port`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let of_a_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(of_a_scheme);
        let scheme = named.then(|| scheme.to_ascii_lowercase())?;
        let authority = Authority::parse(authority)?;
        Some(Self { scheme, authority })
    }

    fn is_loopback(&self) -> bool {
        matches!(self.scheme.as_str(), "http" | "https") && self.authority.host.is_loopback()
    }

    /// The port, or the one that goes without saying.
    fn port(&self) -> Option<u16> {
        self.authority.port.or(match self.scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        })
    }

    /// Whether this entry of a list allows `origin`: any port, unless the entry names one.
    fn allows(&self, origin: &Self) -> bool {
        self.scheme == origin.scheme
            && self.authority.host == origin.authority.host
            && (self.authority.port.is_none() || self.port() == origin.port())
    }
}

impl Origins {
    pub(crate) fn judge(&self, headers: &HeaderMap) -> Verdict {
        let mut values = headers.get_all(ORIGIN).iter();
        let (value, more) = (values.next(), values.next());
        let Some(value) = value else {
            return Verdict::Absent;
        };
        let allowed = |cors| Verdict::Allowed {
            origin: value.clone(),
            cors,
        };
        let parsed = || value.to_str().ok().and_then(Origin::parse);
        match self {
            _ if more.is_some() => Verdict::Refused,
            Self::Any => allowed(true),
            Self::Loopback if parsed().is_some_and(|origin| origin.is_loopback()) => allowed(false),
            Self::Listed(entries)
                if parsed().is_some_and(|origin| entries.iter().any(|one| one.allows(&origin))) =>
            {
                allowed(true)
            }
            Self::Loopback | Self::Listed(_) => Verdict::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn allows(origins: &Origins, value: &[u8]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(ORIGIN, HeaderValue::from_bytes(value).unwrap());
        matches!(origins.judge(&headers), Verdict::Allowed { .. })
    }

    // H06, HTTP-02, HTTP-03, HTTP-04
    #[test]
    fn pages_of_this_machine_pass_by_default() {
        let origins = Origins::Loopback;
        assert_eq!(origins.judge(&HeaderMap::new()), Verdict::Absent);
        for value in [
            "http://localhost:8080",
            "http://[::1]:8080",
            "HTTP://LOCALHOST:8080",
            "https://127.0.0.1",
        ] {
            assert!(allows(&origins, value.as_bytes()), "{value}");
        }
        for value in [
            "https://evil.example",
            "http://localhost.evil.example",
            "null",
            "",
            "%%%",
            "vscode-webview://abc",
            "http://localhost/",
            "http://localhost:8080/x",
            "localhost",
            "file://localhost",
            "http://a@localhost",
        ] {
            assert!(!allows(&origins, value.as_bytes()), "{value}");
        }
        assert!(!allows(&origins, b"\xff"));
    }

    // H06, HTTP-04
    #[test]
    fn a_list_replaces_the_default() {
        assert!(!allows(&Origins::Listed(Vec::new()), b"http://localhost"));
        let list = [
            "https://good.example",
            "http://b.example:8080",
            "https://c.example:443",
            "vscode-webview://abc",
        ];
        let origins = Origins::Listed(list.iter().filter_map(|text| Origin::parse(text)).collect());
        for value in [
            "https://good.example",
            "HTTPS://Good.Example:8443",
            "http://b.example:8080",
            "https://c.example",
            "vscode-webview://abc",
        ] {
            assert!(allows(&origins, value.as_bytes()), "{value}");
        }
        for value in [
            "http://good.example",
            "https://good.example.evil",
            "http://b.example",
            "http://b.example:8081",
            "https://c.example:444",
            "http://localhost",
            "null",
        ] {
            assert!(!allows(&origins, value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn two_origins_are_none() {
        let mut headers = HeaderMap::new();
        headers.append(ORIGIN, HeaderValue::from_static("http://localhost"));
        headers.append(ORIGIN, HeaderValue::from_static("http://localhost"));
        for origins in [Origins::Loopback, Origins::Any] {
            assert_eq!(origins.judge(&headers), Verdict::Refused);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(value in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.insert(ORIGIN, value);
                let listed = Origins::Listed(Vec::new());
                prop_assert_eq!(listed.judge(&headers), Verdict::Refused);
            }
        }
    }
}
