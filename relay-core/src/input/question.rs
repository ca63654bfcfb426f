use std::fmt;

use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::{Answer, Ask, Desk, Form, desk::Misfit, elicit::check_url, response};
use crate::{
    ClientCapabilities,
    signing::state::{Fingerprint, Kind},
};

/// Something to ask the user: a form to fill in, or a URL to open.
///
/// Made by [`Form::question`] and [`elicit::url`](super::elicit::url), put by
/// [`Call::elicit`](crate::Call::elicit), or with others in one round by
/// [`Call::ask`](crate::Call::ask).
#[must_use = "a question is put with `call.elicit` or `call.ask`"]
pub struct Question<T> {
    key: String,
    message: String,
    means: Means<T>,
}

enum Means<T> {
    Form(Form<T>),
    Url { url: String, agreed: T },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FormParams<'a> {
    mode: &'a str,
    message: &'a str,
    requested_schema: &'a RawValue,
}

#[derive(Serialize)]
struct UrlParams<'a> {
    mode: &'a str,
    message: &'a str,
    url: &'a str,
}

impl<T> Question<T> {
    pub(super) fn of_form(key: String, message: String, form: Form<T>) -> Self {
        let means = Means::Form(form);
        Self {
            key,
            message,
            means,
        }
    }
}

impl Question<()> {
    pub(super) fn of_url(key: String, message: String, url: String) -> Self {
        let means = Means::Url { url, agreed: () };
        Self {
            key,
            message,
            means,
        }
    }
}

impl<T> Ask for Question<T> {
    type Answer = Answer<T>;

    fn put(self, desk: &mut Desk<'_>) -> Option<Answer<T>> {
        let Self {
            key,
            message,
            means,
        } = self;
        match means {
            Means::Form(form) => put_form(desk, &key, message, &form),
            Means::Url { url, agreed } => {
                let answer = put_url(desk, &key, &message, &url)?;
                Some(answer.map(|()| agreed))
            }
        }
    }
}

fn put_form<T>(
    desk: &mut Desk<'_>,
    key: &str,
    mut message: String,
    form: &Form<T>,
) -> Option<Answer<T>> {
    if let Err(faults) = form.check() {
        return desk.fail(format!(
            "the form of the question {key:?} can't be asked:\n{faults}"
        ));
    }
    if message.contains("://") {
        tracing::warn!(
            key,
            "the message of a form has a link in it, which no user should be led to open \
             (ELIC-07): use `elicit::url`"
        );
    }
    let read = |given: Value| match response::form(given).ok_or_else(Misfit::default)? {
        Answer::Accepted(content) => {
            let filled = form.read(content);
            filled
                .map(Answer::Accepted)
                .map_err(|faults| Misfit::because(&faults))
        }
        Answer::Declined => Ok(Answer::Declined),
        Answer::Cancelled => Ok(Answer::Cancelled),
    };
    let needs = ClientCapabilities::new().with_elicitation();
    let question = Fingerprint::new(Kind::Form, form.schema().get());
    desk.settle(key, question, needs, read, |misfit| {
        if let Some(misfit) = misfit {
            message.push_str("\n\n");
            message.push_str(misfit);
        }
        let params = FormParams {
            mode: "form",
            message: &message,
            requested_schema: form.schema(),
        };
        super::request("elicitation/create", &params)
    })
}

fn put_url(desk: &mut Desk<'_>, key: &str, message: &str, url: &str) -> Option<Answer<()>> {
    if let Err(fault) = check_url(url) {
        return desk.fail(format!("the URL of the question {key:?} {}", fault.0));
    }
    let needs = ClientCapabilities::new().with_elicitation_url();
    let read = |given: Value| response::agreement(&given).ok_or_else(Misfit::default);
    let question = Fingerprint::new(Kind::Url, url);
    desk.settle(key, question, needs, read, |_misfit| {
        let params = UrlParams {
            mode: "url",
            message,
            url,
        };
        super::request("elicitation/create", &params)
    })
}

impl<T> fmt::Debug for Question<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("key", &self.key)
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}
