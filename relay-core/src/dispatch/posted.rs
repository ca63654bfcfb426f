//! Messages that are no requests, posted one at a time: there is a status to refuse them with, and
//! no connection for them to belong to.

use super::{Dispatch, Subject};
use crate::{
    protocol::{
        answer::{Refusal, refuse},
        headers::{Headers, NotLegacy},
        jsonrpc::{ErrorCode, Notification, Slot},
        legacy::unsupported,
        meta,
        revision::Revision,
    },
    server::Inner,
};

/// A notification of a version that is not served is not accepted (HTTP-12, LH-07). Headers that it
/// lacks do not matter (HTTP-14).
pub(super) fn notification<C>(
    server: &Inner<C>,
    notification: &Notification<'_>,
    headers: &Headers,
) -> Option<Refusal> {
    let revisions = &server.revisions;
    let version = notification
        .params
        .meta
        .value()
        .map(crate::Meta::protocol_version);
    match version {
        Some(Slot::Value(version)) => {
            let served_version = Revision::parse(version)
                .filter(|revision| revision.is_modern() && revisions.contains(revision));
            served_version
                .is_none()
                .then(|| unsupported(version, revisions))
        }
        Some(Slot::Null | Slot::Wrong(_)) => Some(Refusal::malformed_meta(format!(
            "`params._meta[\"{}\"]` must be a string",
            meta::PROTOCOL_VERSION
        ))),
        None | Some(Slot::Absent) => match headers.legacy_revision(revisions) {
            Ok(_) | Err(NotLegacy::MissingMeta) => None,
            Err(NotLegacy::Unsupported(refusal)) => Some(refusal),
        },
    }
}

/// Nothing was asked of whoever posts a response (JR-07).
pub(super) fn response() -> Dispatch {
    refused(&Refusal::new(
        ErrorCode::INVALID_REQUEST,
        "a response was sent, but nothing was asked",
    ))
}

/// The error has no id: it answers no request (JR-08).
pub(super) fn refused(refusal: &Refusal) -> Dispatch {
    Dispatch::Answer(Subject::unreadable(), refuse(None, refusal))
}
