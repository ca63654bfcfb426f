use std::sync::Arc;

use super::{Asked, Dispatch};
use crate::{
    prompt::Message,
    protocol::{
        answer::{Answer, Refusal, Responder},
        wire::On,
    },
    reply::Reply,
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
    asked.invoke(Some(&name), None, |call, responder| {
        let scope = Arc::clone(call.scope());
        match prompt.run(call, arguments.values) {
            Err(fault) => Err(responder.refuse(&Refusal::invalid_params(fault.to_string()))),
            Ok(running) => Ok(Box::pin(async move {
                match running.await {
                    Ok(reply) => answer(
                        &responder,
                        prompt.declaration.description.as_deref(),
                        &reply,
                    ),
                    Err(error) => responder.refuse(&super::refusal_of(error, &scope)),
                }
            })),
        }
    })
}

fn answer(responder: &Responder, description: Option<&str>, reply: &Reply<Vec<Message>>) -> Answer {
    let facts = responder.revision.facts();
    responder.result(&reply.meta, |members| {
        if let Some(description) = description {
            members.value("description", description);
        }
        members.value("messages", &On(reply.output.as_slice(), facts));
    })
}
