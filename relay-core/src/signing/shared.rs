//! What the tokens of every kind have in common.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::principal::Principal;

/// How far ahead of this replica's clock the sealing replica's may be (RS-13).
pub(super) const SKEW: Duration = Duration::from_secs(60);

/// A part's length as it is written before the part.
pub(super) fn length(part: &[u8]) -> [u8; 8] {
    // `usize` is at most 64 bits wide wherever Rust runs.
    u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes()
}

/// Tells who a token is for, as parts of which no two identities give the same ones (AUTH-19).
pub(super) fn identity(principal: Option<&Principal>, mut part: impl FnMut(&str)) {
    let Some(principal) = principal else {
        return part("anonymous");
    };
    part("principal");
    part(principal.issuer());
    part(principal.subject());
    match principal.client() {
        Some(client) => {
            part("client");
            part(client);
        }
        None => part("no client"),
    }
}

/// Whole seconds since 1970; a clock set before that counts as 1970.
pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}
