//! Request state: what a handler that asked its client something needs to go on, on any replica.
//!
//! A token is unpadded base64url over the key's id, a random nonce, and the [`State`] with the
//! second it was sealed, encrypted and authenticated together with its [`Binding`] by
//! XChaCha20-Poly1305. Nobody without the keys can read it or make another (RS-01). That it is
//! authentic does not make it new: whoever holds it can send it again while it opens (RS-06).

mod dense;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::XNonce;
use chacha20poly1305::aead::AeadInOut as _;
use rand::RngExt as _;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::digest::Digest;
use super::key::{KeyId, Subkey};
use super::shared::{SKEW, identity, length, seconds};
use super::{KeyRing, Purpose};
use crate::principal::Principal;

/// How long request state opens (RS-04).
const LIFETIME: Duration = Duration::from_secs(10 * 60);
/// In bytes.
const NONCE_LENGTH: usize = 24;
/// In bytes.
const TAG_LENGTH: usize = 16;

/// What request state is good for, and nothing else (RS-03, RS-05, RS-11).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding<'a> {
    /// The request's method.
    pub(crate) method: &'a str,
    /// The tool's or prompt's name, or the resource's URI.
    pub(crate) target: &'a str,
    pub(crate) arguments: Digest,
    /// Whose request it is; `None` for an anonymous peer.
    pub(crate) principal: Option<&'a Principal>,
    /// The server, as configured.
    pub(crate) audience: &'a str,
}

/// What the earlier runs of a handler leave to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The responses so far, by the key of their question.
    pub(crate) answers: BTreeMap<String, Answered>,
    /// What was done once and is not to be done again, by its key.
    pub(crate) recorded: BTreeMap<String, Box<RawValue>>,
    /// What the handler itself wants to find again.
    pub(crate) handler: Option<Box<RawValue>>,
    /// The questions that await a response, by key.
    pub(crate) asked: BTreeMap<String, Fingerprint>,
    /// How many rounds there have been.
    pub(crate) round: u8,
}

/// A response, and what it is one to.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) question: Fingerprint,
    pub(crate) given: Box<RawValue>,
}

/// What tells one question from another that has its key: what a user agreed to is no answer to
/// another form, nor to another URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) kind: Kind,
    digest: [u8; 8],
}

impl Fingerprint {
    /// Of a question about `subject`: the schema of its form, or its URL.
    pub(crate) fn new(kind: Kind, subject: &str) -> Self {
        let mut digest = [0; 8];
        for (byte, hashed) in digest.iter_mut().zip(Sha256::digest(subject)) {
            *byte = hashed;
        }
        Self { kind, digest }
    }
}

/// What a question asks for, and so what shape its response has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Form,
    Roots,
    Sample,
    Url,
}

/// What a token of request state had in it.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) state: State,
    /// A name that no other token has, for a store that remembers which have been used (RS-06).
    pub(crate) name: String,
    /// How much longer any replica opens the token: as long has its use to be remembered.
    pub(crate) remaining: Duration,
}

/// There is more state than a token may hold (RS-12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the request state would be {length} characters long and may be {limit}; \
     keep less in recorded steps and in the handler's state, or raise the limit"
)]
pub(crate) struct Oversized {
    length: usize,
    limit: usize,
}

/// Seals `state` in at most `limit` characters.
///
/// # Errors
///
/// [`Oversized`], if it takes more.
pub(crate) fn seal(
    ring: &KeyRing,
    binding: &Binding<'_>,
    state: &State,
    now: SystemTime,
    limit: usize,
) -> Result<String, Oversized> {
    let subkey = ring.sealing(Purpose::STATE);
    let mut nonce = [0; NONCE_LENGTH];
    rand::rng().fill(&mut nonce);
    let mut body = dense::write(state, seconds(now));
    let overhead = size_of::<KeyId>() + NONCE_LENGTH + TAG_LENGTH;
    let length = base64::encoded_len(overhead.saturating_add(body.len()), false);
    let oversized = Oversized {
        length: length.unwrap_or(usize::MAX),
        limit,
    };
    if oversized.length > limit {
        return Err(oversized);
    }
    let tag = subkey
        .cipher()
        .encrypt_inout_detached(
            &XNonce::from(nonce),
            &associated(binding),
            body.as_mut_slice().into(),
        )
        // Only for 256 GiB and more.
        .map_err(|chacha20poly1305::Error| oversized)?;
    let token = [subkey.id().as_slice(), &nonce, &body, &tag].concat();
    Ok(URL_SAFE_NO_PAD.encode(token))
}

/// Why a token does not open: for the operator's log only, all are alike to a client (RS-08).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("it was altered, or was sealed for another request, caller or server")]
    Alien,
    #[error("it is from the future: the clocks of replicas are more than a minute apart")]
    Early,
    #[error("it has expired")]
    Expired,
    #[error("it is longer than the limit")]
    Long,
    #[error("it has not the form of request state")]
    Malformed,
    #[error("it was sealed with a key that is not in this server's ring")]
    UnknownKey,
}

/// The state that [`seal`] was given, if `text` is what it returned for this binding with a key of
/// this ring in the last ten minutes. There is no second spelling of it that opens (RS-02).
pub(crate) fn open(
    ring: &KeyRing,
    binding: &Binding<'_>,
    text: &str,
    now: SystemTime,
    limit: usize,
) -> Result<Opened, Refused> {
    if text.len() > limit {
        return Err(Refused::Long);
    }
    let token = URL_SAFE_NO_PAD.decode(text);
    let mut token = token.map_err(|_spelling| Refused::Malformed)?;
    let Parts {
        id,
        nonce,
        body,
        tag,
    } = Parts::of(&mut token).ok_or(Refused::Malformed)?;
    let associated = associated(binding);
    let mut refused = Refused::UnknownKey;
    // A body that is not authentic is left as it was, for the next key of that id.
    let opens = |subkey: Subkey| {
        refused = Refused::Alien;
        let (nonce, tag) = (XNonce::from(*nonce), (*tag).into());
        let body = (&mut *body).into();
        let cipher = subkey.cipher();
        cipher
            .decrypt_inout_detached(&nonce, &associated, body, &tag)
            .is_ok()
    };
    if !ring.opening(Purpose::STATE, *id).any(opens) {
        return Err(refused);
    }
    let (state, sealed) = dense::read(body).ok_or(Refused::Malformed)?;
    let now = seconds(now);
    let age = Duration::from_secs(now.saturating_sub(sealed));
    let ahead = Duration::from_secs(sealed.saturating_sub(now));
    if age >= LIFETIME {
        return Err(Refused::Expired);
    }
    if ahead > SKEW {
        return Err(Refused::Early);
    }
    Ok(Opened {
        state,
        name: URL_SAFE_NO_PAD.encode(nonce),
        // The clocks of other replicas may be behind this one's.
        remaining: (LIFETIME + SKEW + ahead).saturating_sub(age),
    })
}

/// What a token is made of, in this order.
struct Parts<'a> {
    id: &'a KeyId,
    nonce: &'a [u8; NONCE_LENGTH],
    body: &'a mut [u8],
    tag: &'a [u8; TAG_LENGTH],
}

impl<'a> Parts<'a> {
    fn of(token: &'a mut [u8]) -> Option<Self> {
        let (id, rest) = token.split_first_chunk_mut()?;
        let (nonce, rest) = rest.split_first_chunk_mut()?;
        let (body, tag) = rest.split_last_chunk_mut()?;
        Some(Self {
            id,
            nonce,
            body,
            tag,
        })
    }
}

/// What state is bound to, each part preceded by its length so that no two different bindings give
/// the same bytes.
fn associated(binding: &Binding<'_>) -> Vec<u8> {
    let mut data = Vec::from(binding.arguments.bytes());
    let mut part = |text: &str| {
        data.extend(length(text.as_bytes()));
        data.extend(text.as_bytes());
    };
    part(binding.method);
    part(binding.target);
    part(binding.audience);
    identity(binding.principal, part);
    data
}

#[cfg(test)]
mod tests;
