use std::sync::Arc;

use super::{Asked, Dispatch, rounds};
use crate::{
    prompt::Message,
    protocol::{
        answer::{Answer, Refusal, Responder},
        wire::On,
    },
    reply::Complete,
};

pub(super) fn get<C: Send + Sync + 'static>(mut asked: Asked<'_, C>) -> Dispatch {
    let (name, arguments) = match asked.named() {
        Ok(named) => named,
        Err(refusal) => return asked.refuse(&refusal),
    };
    let context = &**asked.peer.context();
    let access = &asked.server.access.prompt;
    let found = asked
        .server
        .prompts
        .get(&name)
        .filter(|prompt| access.admits(context, &prompt.declaration));
    let Some(prompt) = found.cloned() else {
        return asked.refuse(&Refusal::invalid_params("unknown prompt"));
    };
    if let Some(pointer) = arguments.duplicates.first() {
        let message = format!("`arguments{pointer}` is given twice");
        return asked.refuse(&Refusal::invalid_params(message));
    }
    let name = Arc::clone(&prompt.declaration.name);
    if let Err(refusal) = asked.resume(&name, &arguments.values, prompt.asks, false) {
        return asked.refuse(&refusal);
    }
    let round = asked.input.round.take();
    asked.invoke(Some(&name), None, |call, responder| {
        let scope = Arc::clone(call.scope());
        match prompt.run(call, arguments.values) {
            Err(fault) => Err(responder.refuse(&Refusal::invalid_params(fault.to_string()))),
            Ok(running) => Ok(Box::pin(async move {
                let declaration = &prompt.declaration;
                let error = match running.await {
                    Ok(reply) => {
                        let description = declaration.description.as_deref();
                        return answer(&responder, description, &reply).into();
                    }
                    Err(error) => error,
                };
                rounds::end(error, round, &declaration.name, &responder, &scope).unwrap_or_else(
                    |error| responder.refuse(&super::refusal_of(error, &scope)).into(),
                )
            })),
        }
    })
}

fn answer(
    responder: &Responder,
    description: Option<&str>,
    reply: &Complete<Vec<Message>>,
) -> Answer {
    let facts = responder.revision.facts();
    responder.result(&reply.meta, |members| {
        if let Some(description) = description {
            members.value("description", description);
        }
        members.value("messages", &On(reply.output.as_slice(), facts));
    })
}
