use std::sync::Arc;

use serde_json::{Value, json, value::to_raw_value};

use super::{
    Asked, Dispatch, Ended, headers,
    rounds::{self, Round},
};
use crate::{
    Error, Tool,
    call::Scope,
    content,
    error::Kind,
    protocol::{
        answer::{Answer, Members, Refusal, Responder, Unsendable},
        jsonrpc::{Arguments, ErrorCode},
        revision::{Facts, StructuredContent},
        wire::On,
    },
    tool::{CallResult, Declaration, Outcome},
};

pub(super) fn call<C: Send + Sync + 'static>(mut asked: Asked<'_, C>) -> Dispatch {
    let (name, arguments) = match asked.named() {
        Ok(named) => named,
        Err(refusal) => return asked.refuse(&refusal),
    };
    let Some(tool) = find(&asked, &name).cloned() else {
        return asked.refuse(&Refusal::invalid_params("unknown tool"));
    };
    if let Some(refused) = refuse_capability(&asked, &tool) {
        return refused;
    }
    let declaration = Arc::clone(&tool.declaration);
    if let Some(headers) = &asked.headers
        && let Err(refusal) = headers::parameters(headers, &declaration.mirrored, &arguments.values)
    {
        return asked.refuse(&refusal);
    }
    let once = declaration.single_use;
    if let Err(refusal) = asked.resume(&declaration.name, &arguments.values, tool.asks, once) {
        return asked.refuse(&refusal);
    }
    let round = asked.input.round.take();
    asked.invoke(
        Some(&declaration.name),
        declaration.deadline,
        |call, responder| {
            let scope = Arc::clone(call.scope());
            if let Some(faults) = duplicates(&arguments) {
                return Err(answer(&responder, CallResult::error(faults)));
            }
            match tool.run(call, Value::Object(arguments.values)) {
                Err(faults) => Err(answer(&responder, CallResult::error(faults.to_string()))),
                Ok(running) => Ok(Box::pin(async move {
                    conclude(&responder, running.await, &tool.declaration, &scope, round)
                })),
            }
        },
    )
}

/// A tool that is unknown, hidden or denied is none, so that all three are refused alike (TOOL-05,
/// TOOL-22).
fn find<'a, C>(asked: &Asked<'a, C>, name: &str) -> Option<&'a Tool<C>> {
    let context = &**asked.peer.context();
    let access = &asked.server.access;
    asked
        .server
        .tools
        .get(name)
        .filter(|tool| access.tool_visibility.admits(context, &tool.declaration))
        .filter(|tool| access.tool_callability.admits(context, &tool.declaration))
}

/// -32021 says what is missing; a legacy client, which knows no such code, gets it as text (LF-12).
fn refuse_capability<C: Send + Sync + 'static>(
    asked: &Asked<'_, C>,
    tool: &Tool<C>,
) -> Option<Dispatch> {
    let required = &tool.declaration.required_capabilities;
    if asked.client.capabilities.declares(required) {
        return None;
    }
    let message = "this tool needs something that the client did not declare it can do";
    Some(if asked.responder.revision.is_modern() {
        let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
        let data = json!({ "requiredCapabilities": required });
        asked.refuse(&Refusal::new(code, message).with_data(data))
    } else {
        let needed = json!(required);
        let result = CallResult::error(format!("{message}: {needed}"));
        asked.answer(|responder| Ok(answer(responder, result)))
    })
}

fn duplicates(arguments: &Arguments) -> Option<String> {
    let line = |pointer: &String| format!("{pointer}: expected each key once, got it twice");
    let lines: Vec<_> = arguments.duplicates.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn conclude<C>(
    responder: &Responder,
    outcome: Outcome,
    declaration: &Declaration,
    scope: &Scope,
    round: Option<Round<C>>,
) -> Ended {
    let error = match outcome {
        Ok(result) => return answer(responder, result).into(),
        Err(error) => error,
    };
    let ended = rounds::end(error, round, &declaration.name, responder, scope);
    ended.unwrap_or_else(|error| match failed(error, declaration, scope) {
        Ok(result) => answer(responder, result).into(),
        Err(refusal) => responder.refuse(&refusal).into(),
    })
}

fn failed(error: Error, declaration: &Declaration, scope: &Scope) -> Result<CallResult, Refusal> {
    match error.into_kind() {
        Kind::NotFound => Ok(CallResult::error("not found")),
        Kind::Pause(_) => Err(Refusal::internal("internal error")),
        Kind::Private(source) => {
            super::log_private(&*source, scope);
            Ok(CallResult::error(
                "The tool failed. What went wrong is in the server's log.",
            ))
        }
        Kind::Protocol {
            code,
            message,
            data,
        } => Err(super::author_refusal(code, message, data)),
        Kind::Public {
            text,
            content,
            structured,
        } => {
            let mut result = CallResult::error(text);
            result.content.extend(content);
            let admitted = structured.filter(|value| declaration.admits_output(value));
            result.structured = admitted.and_then(|value| to_raw_value(&value).ok());
            Ok(result)
        }
    }
}

/// Over the limit, the model is told to narrow what it asks for (TOOL-20).
fn answer(responder: &Responder, result: CallResult) -> Answer {
    let failed = result.is_error;
    match write(responder, result) {
        Ok(answer) => answer,
        Err(unsendable) if failed => responder.refuse(&unsendable.into()),
        Err(unsendable) => write(responder, CallResult::error(unsendable.to_string()))
            .unwrap_or_else(|unsendable| responder.refuse(&unsendable.into())),
    }
}

fn write(responder: &Responder, result: CallResult) -> Result<Answer, Unsendable> {
    let facts = responder.revision.facts();
    let CallResult {
        mut content,
        structured,
        is_error,
        meta,
    } = result;
    if let Some(json) = structured
        .as_deref()
        .filter(|_| content.is_empty() && facts.structured_content == StructuredContent::None)
    {
        content.push(content::text(json.get()));
    }
    let answer = responder.try_result(None, &meta, |members| {
        members.value("content", &On(content.as_slice(), facts));
        if let Some(json) = structured.as_deref() {
            write_structured(members, json.get(), facts);
        }
        if is_error {
            members.value("isError", &true);
        }
    })?;
    Ok(if is_error {
        answer.of_failed_tool()
    } else {
        answer
    })
}

/// Content that is no object is wrapped where the revision has objects only, as its schema is
/// (LF-02).
fn write_structured(members: &mut Members, json: &str, facts: &Facts) {
    match facts.structured_content {
        StructuredContent::None => {}
        StructuredContent::ObjectOnly if !json.starts_with('{') => {
            members.object("structuredContent", |members| members.raw("result", json));
        }
        StructuredContent::ObjectOnly | StructuredContent::Any => {
            members.raw("structuredContent", json);
        }
    }
}
