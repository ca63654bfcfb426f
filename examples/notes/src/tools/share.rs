//! Sharing, which happens on a page that only the user sees.

use std::str::FromStr;

use relay_core::elicit::{self, UrlFault};
use relay_core::input::Answer;
use relay_core::{Call, Error, Tool, codec, tool};

use super::{id, no_note};
use crate::tenant::Tenant;

/// Where the user shares notes: a page that signs them in and lets them choose with whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharePage(String);

impl SharePage {
    fn of(&self, note: u32) -> String {
        let separator = if self.0.contains('?') { '&' } else { '?' };
        format!("{}{separator}note={note}", self.0)
    }
}

impl FromStr for SharePage {
    type Err = BadPage;

    fn from_str(text: &str) -> Result<Self, BadPage> {
        elicit::check_url(text)?;
        if text.contains('#') {
            Err(BadPage::Fragment)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BadPage {
    #[error("a page to share on has no fragment")]
    Fragment,
    #[error(transparent)]
    Url(#[from] UrlFault),
}

/// Neither the model nor the client learns with whom a note is shared.
pub(crate) fn share(page: SharePage) -> Tool<Tenant> {
    tool::define(
        "share",
        codec::object(codec::field("id", id())),
        codec::string(),
    )
    .with_title("Share a note")
    .with_description(
        "Sends the user to a page where they share a note. With whom, or whether they did, is \
         theirs to tell.",
    )
    .read_only(false)
    .destructive(false)
    .idempotent(true)
    .open_world(true)
    .handle_call(move |call: Call<Tenant>, id| {
        let url = page.of(id);
        async move {
            let note = call.context().notebook.note(id).await?;
            let title = note.ok_or_else(|| no_note(id))?.summary.title;
            if !call.client().can_elicit_url() {
                return Ok(format!("The user can share “{title}” at {url}."));
            }
            let message = format!("Share the note “{title}” on a page in your browser");
            match call.elicit(elicit::url("share", message, url)).await? {
                Answer::Accepted(()) => Ok(format!("The page to share “{title}” was opened.")),
                Answer::Declined | Answer::Cancelled => Err(Error::new(
                    "nothing was shared: the user did not open the page",
                )),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use relay_core::elicit;

    use super::SharePage;

    // ELIC-04, ELIC-05, ELIC-06
    #[test]
    fn a_page_is_one_that_a_user_can_be_sent_to() {
        let page = |text: &str| text.parse::<SharePage>().map(|page| page.of(7)).ok();
        for (text, expected) in [
            (
                "https://share.example/new",
                "https://share.example/new?note=7",
            ),
            (
                "https://share.example/?from=notes",
                "https://share.example/?from=notes&note=7",
            ),
            ("http://localhost:3000", "http://localhost:3000?note=7"),
            ("HTTP://[::1]/", "HTTP://[::1]/?note=7"),
        ] {
            assert_eq!(page(text).as_deref(), Some(expected));
            assert_eq!(elicit::check_url(expected), Ok(()));
        }
        for text in [
            "",
            "https://",
            "http://share.example",
            "share.example",
            "https://a/#b",
            "https://a/\n",
            "https:///new",
            "https://ann:secret@share.example",
            "http://localhost.share.example",
            "http://127.0.0.1.share.example",
            "http://localhost@share.example",
        ] {
            assert_eq!(page(text), None, "{text}");
        }
    }
}
