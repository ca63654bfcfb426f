//! The bodies, as far as somebody would write down by hand what they hold.

use std::borrow::Cow;

use bench_shared::Booking;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

/// What to make of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parse {
    Nothing,
    Text,
    Booking,
    NoArguments,
}

/// One request.
#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed for the time it takes")]
pub(crate) struct Message<'a, A> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    pub(crate) id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    pub(crate) params: Params<'a, A>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed for the time it takes")]
pub(crate) struct Params<'a, A> {
    name: Option<&'a str>,
    pub(crate) arguments: Option<A>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed for the time it takes")]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    revision: &'a str,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: &'a RawValue,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    info: Info<'a>,
    #[serde(borrow, rename = "progressToken")]
    token: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "parsed for the time it takes")]
struct Info<'a> {
    name: &'a str,
    version: &'a str,
}

/// The arguments of `echo`.
#[derive(Deserialize)]
pub(crate) struct Text<'a> {
    #[serde(borrow)]
    pub(crate) text: Cow<'a, str>,
}

/// An object without members that anyone reads.
#[derive(Deserialize)]
struct Empty {}

impl Parse {
    pub(crate) fn of(work: &str) -> Self {
        match work {
            "echo" => Self::Text,
            "book" => Self::Booking,
            _ => Self::NoArguments,
        }
    }

    /// Whether the body is what it should be.
    pub(crate) fn admits(self, body: &[u8]) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text => serde_json::from_slice::<Message<'_, Text<'_>>>(body).is_ok(),
            Self::Booking => is_message::<Booking>(body),
            Self::NoArguments => is_message::<Empty>(body),
        }
    }
}

fn is_message<A: DeserializeOwned>(body: &[u8]) -> bool {
    serde_json::from_slice::<Message<'_, A>>(body).is_ok()
}
