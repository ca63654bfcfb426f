use std::net::IpAddr;

use http::{HeaderMap, Uri, header::HOST};

use super::authority::{Authority, Host};

/// Which names a request may have been sent to (HTTP-05).
///
/// A page in a browser can make a foreign name resolve to this machine; what it can't do is send
/// a request under one of our names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// The loopback names, the address of the listener, and these.
    Listed {
        bound: Option<Host>,
        allowed: Vec<Authority>,
    },
    /// Any, none included.
    Any,
}

impl Hosts {
    pub(crate) fn loopback() -> Self {
        Self::Listed {
            bound: None,
            allowed: Vec::new(),
        }
    }

    /// These names besides loopback, instead of those before; an entry without a port allows any.
    pub(crate) fn allow(&mut self, entries: Vec<Authority>) {
        match self {
            Self::Listed { allowed, .. } => *allowed = entries,
            Self::Any => {
                *self = Self::Listed {
                    bound: None,
                    allowed: entries,
                };
            }
        }
    }

    /// Notes the address that is listened on.
    pub(crate) fn bind(&mut self, address: IpAddr) {
        if let Self::Listed { bound, .. } = self {
            *bound = Some(address.into());
        }
    }

    /// Whether every name that the request gives is allowed; it has to give one.
    pub(crate) fn admit(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Self::Listed { bound, allowed } = self else {
            return true;
        };
        let admits = |text: &str| {
            let Some(named) = Authority::parse(text) else {
                return false;
            };
            named.host.is_loopback()
                || bound.as_ref() == Some(&named.host)
                || allowed.iter().any(|entry| matches(entry, &named))
        };
        let mut names = headers
            .get_all(HOST)
            .iter()
            .map(|value| value.to_str().unwrap_or_default())
            .chain(uri.authority().map(http::uri::Authority::as_str))
            .peekable();
        names.peek().is_some() && names.all(admits)
    }
}

fn matches(entry: &Authority, named: &Authority) -> bool {
    entry.host == named.host && (entry.port.is_none() || entry.port == named.port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(hosts: &Hosts, named: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for name in named {
            headers.append(HOST, name.parse().unwrap());
        }
        hosts.admit(&Uri::from_static("/mcp"), &headers)
    }

    // H05, HTTP-05
    #[test]
    fn loopback_names_pass_and_look_alikes_do_not() {
        let hosts = Hosts::loopback();
        for name in [
            "localhost:8080",
            "localhost",
            "127.0.0.1",
            "LOCALHOST:8080",
            "[::1]:8080",
            "[::1]",
            "localhost.:8080",
        ] {
            assert!(admits(&hosts, &[name]), "{name}");
        }
        for name in [
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example",
            "",
            "10.0.0.7:8080",
        ] {
            assert!(!admits(&hosts, &[name]), "{name}");
        }
        assert!(!admits(&hosts, &[]));
        assert!(!admits(&hosts, &["localhost", "evil.example"]));
    }

    // H05
    #[test]
    fn configured_names_pass_beside_loopback() {
        let entry = |text| Authority::parse(text).unwrap();
        let mut hosts = Hosts::loopback();
        hosts.allow(vec![entry("mcp.example.com"), entry("b.example:8443")]);
        for name in [
            "mcp.example.com",
            "mcp.example.com:443",
            "MCP.example.com:8080",
            "b.example:8443",
            "localhost",
        ] {
            assert!(admits(&hosts, &[name]), "{name}");
        }
        for name in [
            "b.example",
            "b.example:443",
            "x.mcp.example.com",
            "10.0.0.7:8080",
        ] {
            assert!(!admits(&hosts, &[name]), "{name}");
        }
        hosts.bind("10.0.0.7".parse().unwrap());
        assert!(admits(&hosts, &["10.0.0.7:8080"]));
        assert!(admits(&hosts, &["mcp.example.com"]));
    }

    // H05: HTTP/2 carries the name in the target.
    #[test]
    fn the_authority_of_the_target_counts() {
        let hosts = Hosts::loopback();
        let admits = |uri| hosts.admit(&Uri::from_static(uri), &HeaderMap::new());
        assert!(admits("http://localhost:8080/mcp"));
        assert!(!admits("http://evil.example/mcp"));
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "evil.example".parse().unwrap());
        assert!(!hosts.admit(&Uri::from_static("http://localhost/mcp"), &headers));
        assert!(Hosts::Any.admit(&Uri::from_static("/"), &HeaderMap::new()));
    }
}
