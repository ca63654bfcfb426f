use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A host and perhaps a port, as `Host` and `Origin` carry them, in one spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Authority {
    pub(crate) host: Host,
    pub(crate) port: Option<u16>,
}

/// A host: an address, or a name in lower case and without its final dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Address(IpAddr),
    Name(String),
}

impl Authority {
    /// Reads `host`, `host:port`, `address` or `[address]:port`; nothing else is tolerated, so that
    /// no look-alike passes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('[') {
            let (address, after) = rest.split_once(']')?;
            let address: Ipv6Addr = address.parse().ok()?;
            let port = match after.strip_prefix(':') {
                Some(port) => Some(parse_port(port)?),
                None if after.is_empty() => None,
                None => return None,
            };
            let host = Host::Address(IpAddr::V6(address));
            return Some(Self { host, port });
        }
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, Some(parse_port(port)?)),
            None => (text, None),
        };
        Some(Self {
            host: Host::parse(host)?,
            port,
        })
    }
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(IpAddr::V4(address)));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        let of_a_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let named = !name.is_empty() && !name.starts_with('.') && name.chars().all(of_a_name);
        named.then(|| Self::Name(name.to_ascii_lowercase()))
    }

    /// Whether the host is this machine, as it calls itself.
    pub(crate) fn is_loopback(&self) -> bool {
        match self {
            Self::Address(address) => address.is_loopback(),
            Self::Name(name) => name == "localhost",
        }
    }
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Self {
        Self::Address(address)
    }
}

fn parse_port(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // H05
    #[test]
    fn hosts_have_one_spelling() {
        let localhost = Host::Name("localhost".to_owned());
        for (text, host, port) in [
            ("localhost", localhost.clone(), None),
            ("LOCALHOST:8080", localhost.clone(), Some(8080)),
            ("localhost.:8080", localhost, Some(8080)),
            ("127.0.0.1", Host::Address(Ipv4Addr::LOCALHOST.into()), None),
            ("[::1]", Host::Address(Ipv6Addr::LOCALHOST.into()), None),
            (
                "[0:0:0:0:0:0:0:1]:1",
                Host::Address(Ipv6Addr::LOCALHOST.into()),
                Some(1),
            ),
            ("A.b-c_d", Host::Name("a.b-c_d".to_owned()), None),
        ] {
            assert_eq!(
                Authority::parse(text),
                Some(Authority { host, port }),
                "{text}"
            );
        }
        for text in [
            "",
            ".",
            "..",
            ":80",
            "localhost:",
            "localhost:x",
            "localhost:+1",
            "localhost:65536",
            "user@localhost",
            "localhost/",
            "localhost ",
            " localhost",
            "loc\u{e4}lhost",
            "localhost\u{0}",
            "::1",
            "[::1",
            "[::1]x",
            "[::1]:",
            "[localhost]",
            "a:1:2",
            "a,b",
        ] {
            assert_eq!(Authority::parse(text), None, "{text:?}");
        }
    }

    // H05
    #[test]
    fn only_this_machine_is_loopback() {
        let loopback = |text| Authority::parse(text).is_some_and(|one| one.host.is_loopback());
        for text in [
            "localhost",
            "localhost.",
            "127.0.0.1",
            "127.9.9.9:1",
            "[::1]",
        ] {
            assert!(loopback(text), "{text}");
        }
        for text in [
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example",
            "0.0.0.0",
            "evillocalhost",
            "localhost.localdomain",
            "[::]",
            "10.0.0.7",
        ] {
            assert!(!loopback(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in ".*") {
            let _parsed = Authority::parse(&text);
        }
    }
}
