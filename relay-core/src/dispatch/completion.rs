use std::sync::Arc;

use serde::Serialize;
use serde_json::Map;

use super::{Asked, Dispatch};
use crate::{
    BoxFuture, Call, Error, Resource,
    completion::{self, Completer, Completion, MOST},
    protocol::{
        answer::{Answer, Refusal, Responder},
        jsonrpc::{CompletionArgument, Reference, Slot},
    },
};

/// What answers a completion: a completer of the argument's own, the server's, or nothing.
enum Source<C> {
    Argument(Completer<C>),
    Server(Completer<C, completion::Request>, completion::Reference),
    Nothing,
}

pub(super) fn complete<C: Send + Sync + 'static>(mut asked: Asked<'_, C>) -> Dispatch {
    let (reference, argument) = match (asked.params.reference.take(), asked.params.argument.take())
    {
        (Slot::Value(reference), Slot::Value(argument)) => (reference, argument),
        (Slot::Value(_), _) => {
            return asked.refuse(&Refusal::invalid_params(
                "`argument` must be an object with `name` and `value`",
            ));
        }
        _ => {
            return asked.refuse(&Refusal::invalid_params(
                "`ref` must be a `ref/prompt` with `name` or a `ref/resource` with `uri`",
            ));
        }
    };
    if !asked.responder.revision.facts().completion_context {
        // An unknown member there (LU-09).
        asked.params.context = Slot::Absent;
    }
    if matches!(asked.params.context, Slot::Wrong(_)) {
        return asked.refuse(&Refusal::invalid_params(
            "`context.arguments` must be an object of strings",
        ));
    }
    let (found, own) = match find(&asked, &reference, &argument.name) {
        Ok(found) => found,
        Err(refusal) => return asked.refuse(&refusal),
    };
    let target = match &found {
        completion::Reference::Prompt(target) | completion::Reference::Resource(target) => {
            Arc::clone(target)
        }
    };
    let source = match (own, &asked.server.completion) {
        (Some(completer), _) => Source::Argument(completer),
        (None, Some(completer)) => Source::Server(completer.clone(), found),
        (None, None) => Source::Nothing,
    };
    asked.invoke(Some(&target), None, |call, responder| {
        let scope = Arc::clone(call.scope());
        match source.run(call, argument) {
            None => Err(answer(&responder, &Completion::default())),
            Some(running) => Ok(Box::pin(async move {
                match running.await {
                    Ok(completion) => answer(&responder, &completion),
                    Err(error) => responder.refuse(&super::refusal_of(error, &scope)),
                }
                .into()
            })),
        }
    })
}

impl<C: Send + Sync + 'static> Source<C> {
    fn run(
        self,
        call: Call<C>,
        argument: CompletionArgument,
    ) -> Option<BoxFuture<Result<Completion, Error>>> {
        let CompletionArgument { name, value, .. } = argument;
        match self {
            Self::Argument(completer) => Some(completer.run(call, value)),
            Self::Server(completer, reference) => Some(completer.run(
                call,
                completion::Request {
                    reference,
                    argument: name,
                    value,
                },
            )),
            Self::Nothing => None,
        }
    }
}

type Found<C> = (completion::Reference, Option<Completer<C>>);

/// The prompt or resource that is completed, as far as the caller may see it (COMP-03).
fn find<C>(
    asked: &Asked<'_, C>,
    reference: &Reference,
    argument: &str,
) -> Result<Found<C>, Refusal> {
    let access = &asked.server.access;
    let context = &**asked.peer.context();
    match reference {
        Reference::Prompt { name, .. } => {
            let prompt = asked.server.prompts.get(name);
            let prompt = prompt
                .filter(|prompt| access.prompt.admits(context, &prompt.declaration))
                .ok_or_else(|| Refusal::invalid_params("unknown prompt"))?;
            let reference = completion::Reference::Prompt(Arc::clone(&prompt.declaration.name));
            Ok((reference, prompt.completer(argument).cloned()))
        }
        Reference::Resource { uri } => {
            let resource = resource(asked, uri)
                .ok_or_else(|| Refusal::invalid_params("unknown resource template"))?;
            let reference = completion::Reference::Resource(Arc::clone(&resource.declaration.uri));
            let completer = resource
                .template()
                .and_then(|template| template.completer(argument));
            Ok((reference, completer.cloned()))
        }
    }
}

/// By URI template, by the URI of a direct resource, or by a URI that fits a template. What the caller
/// may not see is passed over, not found and then refused: something else may answer in its place.
fn resource<'a, C>(asked: &Asked<'a, C>, uri: &str) -> Option<&'a Resource<C>> {
    let server = asked.server;
    let context = asked.peer.context();
    let admitted = |resource: &&Resource<C>| {
        let policy = &server.access.resource;
        policy.admits(context, &resource.declaration)
    };
    let fits = |resource: &&Resource<C>| {
        resource
            .template()
            .is_some_and(|template| template.match_uri(uri).is_some())
    };
    let named = server.templates.get(uri).filter(admitted);
    named
        .or_else(|| server.resources.get(uri).filter(admitted))
        .or_else(|| server.templates.values().filter(admitted).find(fits))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Suggestions<'a> {
    values: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    has_more: bool,
}

/// At most 100 values, and how many there are in all where that is known (COMP-02).
fn answer(responder: &Responder, completion: &Completion) -> Answer {
    let Completion {
        values,
        total,
        more,
    } = completion;
    let shown = values.get(..MOST).unwrap_or(values);
    let counted = (*total).or_else(|| (!more).then_some(values.len()));
    let suggestions = Suggestions {
        values: shown,
        total: counted.map(|total| total.max(values.len())),
        has_more: *more
            || counted.is_some_and(|total| total > shown.len())
            || values.len() > shown.len(),
    };
    responder.result(&Map::new(), |members| {
        members.value("completion", &suggestions);
    })
}
