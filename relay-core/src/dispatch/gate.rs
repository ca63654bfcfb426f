//! The order in which a request is judged.

use std::{borrow::Cow, sync::Arc};

use super::{
    Asked, Bounds, Dispatch, Subject, completion, discover, headers, initialize, lists, prompts,
    resources, rounds::Input, tools,
};
use crate::{
    Peer,
    call::Client,
    protocol::{
        answer::{Answer, Refusal, Responder},
        headers::{Headers, NotLegacy},
        jsonrpc::{Arguments, ErrorCode, Id, Params, Request, Shape, Slot},
        legacy::{Handshake, Session, unsupported},
        meta::{self, Meta},
        method::Method,
        revision::Revision,
    },
    server::Inner,
};

/// How a request is judged.
enum Era {
    /// By the request's own `_meta`.
    Modern,
    /// The request opens a legacy session.
    Initialize,
    /// By the session that the connection opened.
    Legacy(Arc<Session>),
    /// A legacy liveness check before the session is open (LJ-10).
    Ping,
    /// Neither a modern request nor one of a session, nor of a revision that its header names.
    Unopened(Refusal),
}

pub(super) fn admit<C: Send + Sync + 'static>(
    server: &Arc<Inner<C>>,
    request: Request<'_>,
    peer: &Peer<C>,
    handshake: &mut Handshake,
    bounds: &Bounds,
) -> Dispatch {
    let Request {
        id,
        method,
        mut params,
    } = request;
    let judged = match era(server, &method, &params, handshake) {
        Era::Modern => modern(server, &method, &mut params, handshake),
        Era::Legacy(session) => legacy(server, &method, &params, session),
        Era::Initialize => {
            let responder = responder(server, id, newest_legacy(server), bounds);
            return initialize::open(server, params, handshake, responder);
        }
        Era::Ping => {
            let answer = responder(server, id, newest_legacy(server), bounds)
                .result(&serde_json::Map::new(), |_| {});
            return Dispatch::Answer(Subject::of(Method::Ping, newest_legacy(server)), answer);
        }
        Era::Unopened(refusal) => Err(refusal),
    };
    let (method, client, session) = match judged {
        Ok(admitted) => admitted,
        Err(refusal) => {
            let revision = server
                .revisions
                .first()
                .copied()
                .unwrap_or(Revision::V2026_07_28);
            let answer = responder(server, id, revision, bounds).refuse(&refusal);
            return Dispatch::Answer(Subject::refused(Method::parse(&method)), answer);
        }
    };
    let responder = responder(server, id, client.revision, bounds);
    let headers = handshake.headers().filter(|_| session.is_none()).cloned();
    let meta = std::mem::take(&mut params.meta)
        .into_value()
        .unwrap_or_default();
    serve(Asked {
        server,
        peer,
        bounds,
        method,
        params,
        meta,
        client,
        session,
        headers,
        input: Input::none(),
        responder,
    })
}

fn serve<C: Send + Sync + 'static>(asked: Asked<'_, C>) -> Dispatch {
    match asked.method {
        Method::ToolsCall => tools::call(asked),
        Method::ToolsList => lists::tools(&asked),
        Method::ResourcesRead => resources::read(asked),
        Method::ResourcesList => resources::list(asked),
        Method::ResourceTemplatesList => lists::resource_templates(&asked),
        Method::PromptsGet => prompts::get(asked),
        Method::PromptsList => lists::prompts(&asked),
        Method::CompletionComplete => completion::complete(asked),
        Method::Discover => discover::discover(&asked),
        Method::LoggingSetLevel => initialize::set_level(&asked),
        Method::Initialize | Method::Ping => {
            asked.answer(|responder| Ok(responder.result(&serde_json::Map::new(), |_| {})))
        }
    }
}

fn era<C>(server: &Inner<C>, method: &str, params: &Params<'_>, handshake: &Handshake) -> Era {
    let serves_modern = server.revisions.iter().any(|revision| revision.is_modern());
    let enveloped = params
        .meta
        .value()
        .is_some_and(|meta| !meta.protocol_version().is_absent());
    match handshake.session() {
        _ if enveloped && serves_modern => Era::Modern,
        _ if method == Method::Initialize.as_str() => Era::Initialize,
        Some(session) => Era::Legacy(Arc::clone(session)),
        None => match handshake.headers() {
            Some(headers) => sessionless(server, headers),
            None if method == Method::Ping.as_str() && serves_legacy(server) => Era::Ping,
            None => Era::Unopened(unopened(server, method)),
        },
    }
}

/// A legacy request that belongs to no session: its header names the revision.
fn sessionless<C>(server: &Inner<C>, headers: &Headers) -> Era {
    match headers.legacy_revision(&server.revisions) {
        Ok(revision) => Era::Legacy(Arc::new(Session::of_exchange(revision))),
        Err(NotLegacy::MissingMeta) => Era::Unopened(missing_meta()),
        Err(NotLegacy::Unsupported(refusal)) => Era::Unopened(refusal),
    }
}

type Admitted = (Method, Client, Option<Arc<Session>>);

fn modern<C>(
    server: &Inner<C>,
    method: &str,
    params: &mut Params<'_>,
    handshake: &mut Handshake,
) -> Result<Admitted, Refusal> {
    let Slot::Value(meta) = &params.meta else {
        return Err(missing_meta());
    };
    let Slot::Value(version) = meta.protocol_version() else {
        return Err(wrong_meta(meta::PROTOCOL_VERSION, "a string"));
    };
    if meta.client_capabilities().value().is_none() {
        return Err(wrong_meta(meta::CLIENT_CAPABILITIES, "an object"));
    }
    if meta.client_info().is_wrong() {
        return Err(wrong_meta(
            meta::CLIENT_INFO,
            "an object with `name` and `version`",
        ));
    }
    let headers = handshake.headers().cloned();
    if let Some(headers) = &headers {
        headers::version(headers, version)?;
    }
    let revision = Revision::parse(version)
        .filter(|revision| revision.is_modern() && server.revisions.contains(revision))
        .ok_or_else(|| unsupported(version, &server.revisions))?;
    if let Some(headers) = &headers {
        headers::target(headers, method, params)?;
    }
    let method = advertised(server, method, revision)?;
    admit_meta(meta)?;
    if method != Method::Discover {
        handshake.serve_modern();
    }
    let Slot::Value(meta) = &mut params.meta else {
        return Err(missing_meta());
    };
    Ok((method, meta.take_client(revision), None))
}

fn legacy<C>(
    server: &Inner<C>,
    method: &str,
    params: &Params<'_>,
    session: Arc<Session>,
) -> Result<Admitted, Refusal> {
    let method = advertised(server, method, session.client.revision)?;
    if matches!(params.shape, Shape::Array { empty: false } | Shape::Other) {
        return Err(Refusal::invalid_params("`params` must be an object"));
    }
    if let Slot::Value(meta) = &params.meta {
        admit_meta(meta).map_err(Refusal::in_band)?;
    }
    Ok((method, session.client.clone(), Some(session)))
}

/// The members of `_meta` that any request may carry and none must.
fn admit_meta(meta: &Meta) -> Result<(), Refusal> {
    let wrong = |slot_is_wrong: bool, key, expected| {
        if slot_is_wrong {
            Err(wrong_meta(key, expected))
        } else {
            Ok(())
        }
    };
    wrong(
        meta.log_level().is_wrong(),
        meta::LOG_LEVEL,
        "one of the eight levels, such as \"info\"",
    )?;
    wrong(
        meta.progress_token().is_wrong(),
        meta::PROGRESS_TOKEN,
        "a string or an integer",
    )?;
    wrong(
        meta.idempotency_key().is_wrong(),
        meta::IDEMPOTENCY_KEY,
        "1 to 256 characters of visible ASCII",
    )
}

/// The method, where the revision has it and the server has something for it (ERR-06, ERR-07).
fn advertised<C>(server: &Inner<C>, name: &str, revision: Revision) -> Result<Method, Refusal> {
    Method::parse(name)
        .filter(|method| method.is_in(revision.facts()) && server.offers(*method))
        .ok_or_else(|| Refusal::unknown_method(revision))
}

impl<C> Inner<C> {
    fn offers(&self, method: Method) -> bool {
        match method {
            Method::ToolsCall | Method::ToolsList => !self.tools.is_empty(),
            Method::PromptsGet | Method::PromptsList => !self.prompts.is_empty(),
            Method::ResourcesList | Method::ResourcesRead | Method::ResourceTemplatesList => {
                self.has_resources()
            }
            Method::CompletionComplete => self.completes(),
            Method::LoggingSetLevel => self.logging,
            Method::Discover | Method::Initialize | Method::Ping => true,
        }
    }
}

fn unopened<C>(server: &Inner<C>, method: &str) -> Refusal {
    if server.revisions.iter().any(|revision| revision.is_modern()) {
        return missing_meta();
    }
    let known = Method::parse(method).is_some_and(|method| method != Method::Discover);
    if known {
        Refusal::new(ErrorCode::INVALID_REQUEST, "send `initialize` first")
    } else {
        Refusal::new(ErrorCode::METHOD_NOT_FOUND, "method not found")
    }
}

fn missing_meta() -> Refusal {
    Refusal::malformed_meta(format!(
        "`params._meta` must hold `{}` and `{}`",
        meta::PROTOCOL_VERSION,
        meta::CLIENT_CAPABILITIES
    ))
}

fn wrong_meta(key: &str, expected: &str) -> Refusal {
    Refusal::malformed_meta(format!("`params._meta[\"{key}\"]` must be {expected}"))
}

fn serves_legacy<C>(server: &Inner<C>) -> bool {
    server
        .revisions
        .iter()
        .any(|revision| !revision.is_modern())
}

fn newest_legacy<C>(server: &Inner<C>) -> Revision {
    let newest = server
        .revisions
        .iter()
        .copied()
        .find(|revision| !revision.is_modern());
    newest.unwrap_or(Revision::V2025_11_25)
}

fn responder<C>(server: &Inner<C>, id: Id, revision: Revision, bounds: &Bounds) -> Responder {
    let server_info = server
        .sends_info
        .then(|| Arc::clone(&server.rendered_info))
        .filter(|_| revision.is_modern());
    Responder {
        id,
        revision,
        server_info,
        limit: bounds.answer_limit,
    }
}

impl<'a, C> Asked<'a, C> {
    /// The name and the arguments of what is called: their shape is judged before it is looked for,
    /// so that what is wrong with it says nothing of what there is.
    pub(super) fn named(&mut self) -> Result<(Cow<'a, str>, Arguments), Refusal> {
        let Slot::Value(name) = self.params.name.take() else {
            return Err(Refusal::invalid_params("`name` must be a string"));
        };
        match self.params.arguments.take() {
            Slot::Value(arguments) => Ok((name, arguments)),
            Slot::Absent | Slot::Null => Ok((name, Arguments::default())),
            Slot::Wrong(_) => Err(Refusal::invalid_params("`arguments` must be an object")),
        }
    }

    /// An immediate answer.
    pub(super) fn answer(
        &self,
        answer: impl FnOnce(&Responder) -> Result<Answer, Refusal>,
    ) -> Dispatch {
        let answer =
            answer(&self.responder).unwrap_or_else(|refusal| self.responder.refuse(&refusal));
        Dispatch::Answer(self.subject(), answer)
    }

    pub(super) fn refuse(&self, refusal: &Refusal) -> Dispatch {
        Dispatch::Answer(self.subject(), self.responder.refuse(refusal))
    }

    pub(super) fn subject(&self) -> Subject {
        Subject::of(self.method, self.responder.revision)
    }
}
