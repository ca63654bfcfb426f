//! The HTTP headers that repeat what a message says, decoded.
//!
//! Routers and gateways read them without opening the body, so a server must not act on a body
//! that says something else. A transport decodes what arrived; the order of judgement decides when
//! each is compared.

use std::collections::BTreeMap;

use super::{jsonrpc::ErrorCode, revision::Revision};
use crate::protocol::answer::Refusal;

/// The mirrored headers of one HTTP request.
///
/// A transport without headers has none of these, and no header rule holds for it (HDR-19).
///
/// ```
/// use relay_core::protocol::headers::{Headers, Mirrored};
///
/// let headers = Headers::new()
///     .with_version(Mirrored::Text("2026-07-28".to_owned()))
///     .with_method(Mirrored::Text("tools/call".to_owned()))
///     .with_name(Mirrored::Text("weather".to_owned()))
///     .with_parameter("Region", Mirrored::Text("Köln".to_owned()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    version: Mirrored,
    method: Mirrored,
    name: Mirrored,
    /// By name in lower case, without the prefix.
    parameters: BTreeMap<String, Mirrored>,
}

/// One mirrored header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "these are all the states of a header, and a match on them should stay complete"
)]
pub enum Mirrored {
    /// It was not sent.
    #[default]
    Absent,
    /// It was sent, and says this.
    Text(String),
    /// It was sent, and can't be read: why, in words that follow its name, such as
    /// `"was sent twice"`.
    Unusable(&'static str),
}

impl Headers {
    /// The headers of a request that has none.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `MCP-Protocol-Version`, taken literally (HDR-16).
    #[must_use]
    pub fn with_version(self, version: Mirrored) -> Self {
        Self { version, ..self }
    }

    /// `Mcp-Method`, taken literally (HDR-16).
    #[must_use]
    pub fn with_method(self, method: Mirrored) -> Self {
        Self { method, ..self }
    }

    /// `Mcp-Name`, decoded.
    #[must_use]
    pub fn with_name(self, name: Mirrored) -> Self {
        Self { name, ..self }
    }

    /// `Mcp-Param-` followed by `name`, whose letter case does not matter, decoded.
    #[must_use]
    pub fn with_parameter(mut self, name: &str, value: Mirrored) -> Self {
        self.parameters.insert(name.to_ascii_lowercase(), value);
        self
    }

    pub(crate) fn version(&self) -> &Mirrored {
        &self.version
    }

    pub(crate) fn method(&self) -> &Mirrored {
        &self.method
    }

    pub(crate) fn name(&self) -> &Mirrored {
        &self.name
    }

    pub(crate) fn parameter(&self, name: &str) -> &Mirrored {
        self.parameters
            .get(&name.to_ascii_lowercase())
            .unwrap_or(&Mirrored::Absent)
    }

    /// The legacy revision of a message that has no modern `_meta` (ERA-03, ERA-04, LH-07).
    ///
    /// `served` is newest first.
    pub(crate) fn legacy_revision(&self, served: &[Revision]) -> Result<Revision, NotLegacy> {
        let legacy = served.iter().any(|revision| !revision.is_modern());
        let named = match &self.version {
            Mirrored::Absent => Some(Revision::V2025_03_26),
            Mirrored::Text(name) => Revision::parse(name),
            Mirrored::Unusable(_) => None,
        };
        match named.filter(|revision| served.contains(revision)) {
            Some(revision) if revision.is_modern() => Err(NotLegacy::MissingMeta),
            Some(revision) => Ok(revision),
            None if !legacy => Err(NotLegacy::MissingMeta),
            None if self.version == Mirrored::Absent && served.iter().any(|r| r.is_modern()) => {
                Err(NotLegacy::MissingMeta)
            }
            None => Err(NotLegacy::Unsupported(unsupported(served))),
        }
    }
}

/// Why a message without a modern `_meta` is not of a legacy revision either.
#[derive(Debug)]
pub(crate) enum NotLegacy {
    /// It is a modern one that lacks its `_meta`.
    MissingMeta,
    /// Its header names nothing that is served here.
    Unsupported(Refusal),
}

fn unsupported(served: &[Revision]) -> Refusal {
    let names: Vec<_> = served.iter().map(|revision| revision.as_str()).collect();
    let message = format!(
        "the header MCP-Protocol-Version must name a version that is supported here: {}",
        names.join(", ")
    );
    Refusal::new(ErrorCode::INVALID_REQUEST, message)
        .with_data(serde_json::json!({ "supported": names }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(name: &str) -> Headers {
        Headers::new().with_version(Mirrored::Text(name.to_owned()))
    }

    // ERA-03, ERA-04, ERA-05, LH-07, LH-08, LH-09
    #[test]
    fn the_header_names_the_revision_of_what_has_no_envelope() {
        let all = Revision::ALL;
        let of = |headers: &Headers, served: &[Revision]| headers.legacy_revision(served);
        assert!(matches!(
            of(&Headers::new(), &all),
            Ok(Revision::V2025_03_26)
        ));
        assert!(matches!(
            of(&version("2025-06-18"), &all),
            Ok(Revision::V2025_06_18)
        ));
        assert!(matches!(
            of(&version("2026-07-28"), &all),
            Err(NotLegacy::MissingMeta)
        ));
        for unknown in ["1999-01-01", "", "2025-06-18 "] {
            let Err(NotLegacy::Unsupported(refusal)) = of(&version(unknown), &all) else {
                panic!("{unknown:?} is served");
            };
            assert_eq!(refusal.code, ErrorCode::INVALID_REQUEST);
            assert!(refusal.message.contains("2025-11-25"), "{refusal:?}");
        }
        let twice = Headers::new().with_version(Mirrored::Unusable("was sent twice"));
        assert!(matches!(of(&twice, &all), Err(NotLegacy::Unsupported(_))));

        let modern = [Revision::V2026_07_28];
        for headers in [Headers::new(), version("2025-06-18"), version("v999")] {
            assert!(matches!(of(&headers, &modern), Err(NotLegacy::MissingMeta)));
        }
        let newer = [Revision::V2026_07_28, Revision::V2025_11_25];
        assert!(matches!(
            of(&Headers::new(), &newer),
            Err(NotLegacy::MissingMeta)
        ));
        let legacy = [Revision::V2025_11_25];
        for headers in [Headers::new(), version("2026-07-28")] {
            assert!(matches!(
                of(&headers, &legacy),
                Err(NotLegacy::Unsupported(_))
            ));
        }
    }

    #[test]
    fn parameters_are_found_in_any_letter_case() {
        let headers = Headers::new().with_parameter("ReGion", Mirrored::Text("x".to_owned()));
        assert_eq!(headers.parameter("regioN"), &Mirrored::Text("x".to_owned()));
        assert_eq!(headers.parameter("other"), &Mirrored::Absent);
    }
}
