use serde_json::Map;

use super::{Asked, Dispatch, Subject, discover::capabilities};
use crate::{
    protocol::{
        answer::{Refusal, Responder},
        jsonrpc::{Params, Slot},
        legacy::Handshake,
        meta::LogLevel,
        method::Method,
        wire::On,
    },
    server::Inner,
};

pub(super) fn open<C>(
    server: &Inner<C>,
    mut params: Params<'_>,
    handshake: &mut Handshake,
    responder: Responder,
) -> Dispatch {
    let revision = match handshake.initialize(&mut params, &server.revisions) {
        Ok(session) => session.client.revision,
        Err(refusal) => {
            let answer = responder.refuse(&refusal);
            return Dispatch::Answer(Subject::refused(Some(Method::Initialize)), answer);
        }
    };
    let facts = revision.facts();
    let responder = Responder {
        revision,
        ..responder
    };
    let answer = responder.result(&Map::new(), |members| {
        members.value("protocolVersion", &revision);
        members.value("capabilities", &capabilities(server, facts));
        members.value("serverInfo", &On(&server.info, facts));
        if let Some(instructions) = &server.instructions {
            members.value("instructions", instructions);
        }
    });
    Dispatch::Answer(Subject::of(Method::Initialize, revision), answer)
}

/// LU-01, LU-02.
pub(super) fn set_level<C: Send + Sync + 'static>(asked: &Asked<'_, C>) -> Dispatch {
    let level = match &asked.params.level {
        Slot::Value(name) => LogLevel::parse(name),
        _ => None,
    };
    asked.answer(|responder| {
        let level = level.ok_or_else(|| {
            Refusal::invalid_params("`level` must be one of the eight levels, such as \"info\"")
        })?;
        if let Some(session) = &asked.session {
            session.set_log_level(level);
        }
        Ok(responder.result(&Map::new(), |_| {}))
    })
}
