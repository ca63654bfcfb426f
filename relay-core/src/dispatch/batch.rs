use bytes::Bytes;
use serde_json::value::RawValue;

use super::{Dispatch, Subject, id_or_null};
use crate::{
    protocol::{
        answer::{Refusal, refuse},
        jsonrpc::{self, ErrorCode, Message},
        legacy::Handshake,
        method::Method,
        revision::Revision,
    },
    server::Inner,
};

/// The members of a batch, where the revision it belongs to has batches (LJ-02 to LJ-07). The
/// handshake becomes theirs.
pub(super) fn open<C>(
    server: &Inner<C>,
    members: &[&RawValue],
    handshake: &mut Handshake,
) -> Dispatch {
    let facts = handshake.facts(&server.revisions);
    let refuse_whole = |message: &'static str| {
        let null_id = facts.is_some_and(|facts| facts.null_id_on_unreadable);
        let refusal = Refusal::new(ErrorCode::INVALID_REQUEST, message);
        let answer = refuse(id_or_null(None, null_id), &refusal);
        Dispatch::Answer(Subject::unreadable(), answer)
    };
    let batches = facts.is_some_and(|facts| facts.batches);
    if !batches {
        return refuse_whole("batches are not supported: send one message at a time");
    }
    if members.is_empty() {
        return refuse_whole("the batch is empty");
    }
    let modern =
        handshake.headers().is_some() && server.revisions.iter().copied().any(Revision::is_modern);
    for member in members {
        let (method, params) = match jsonrpc::parse(member.get().as_bytes()) {
            Ok(Message::Request(request)) => (request.method, request.params),
            Ok(Message::Notification(notification)) => (notification.method, notification.params),
            _ => continue,
        };
        if method == Method::Initialize.as_str() {
            return refuse_whole("`initialize` can't be part of a batch");
        }
        let enveloped = params
            .meta
            .value()
            .is_some_and(|meta| !meta.protocol_version().is_absent());
        if modern && enveloped {
            // ERA-07
            return refuse_whole("batches are not supported: send one message at a time");
        }
    }
    handshake.open_batch(&server.revisions);
    Dispatch::Batch(members.iter().map(|member| frame_of(member)).collect())
}

/// A batch within a batch is no message: dispatched as it is, it would be taken for a batch again.
fn frame_of(member: &RawValue) -> Bytes {
    let text = member.get().trim_ascii_start();
    if text.starts_with('[') {
        Bytes::from_static(b"null")
    } else {
        Bytes::copy_from_slice(text.as_bytes())
    }
}
