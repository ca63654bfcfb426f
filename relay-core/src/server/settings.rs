use std::{future::Future, sync::Arc};

use serde_json::{Map, Value};

use super::{Server, compose::refuse};
use crate::{
    Call, Error, KeyRing,
    access::Policy,
    cache::{Cache, Cacheable},
    clock::Clock,
    completion::{self, Completer, Completion},
    content::Icon,
    prompt,
    protocol::{capability::Implementation, revision::Revision},
    resource, tool,
};

impl<C> Server<C> {
    /// The server's name and version, as clients show them. The name is also the server's audience
    /// unless [`Server::with_audience`] gives another. `relay` and the version of this crate by
    /// default.
    #[must_use]
    pub fn with_info(self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.change_info(|info| {
            info.name = name.into();
            info.version = version.into();
        })
    }

    /// The name shown to people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.change_info(|info| info.title = Some(title.into()))
    }

    /// What the server is, for the person who chooses it.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        self.change_info(|info| info.description = Some(description.into()))
    }

    /// Where to read about the server.
    #[must_use]
    pub fn with_website_url(self, url: impl Into<String>) -> Self {
        self.change_info(|info| info.website_url = Some(url.into()))
    }

    /// Icons that a client may show beside the server.
    #[must_use]
    pub fn with_icons(self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.change_info(|info| info.icons = icons.into_iter().collect())
    }

    /// Leaves the server's name and version out of each result's `_meta`, where they stand
    /// otherwise (META-07). `initialize` carries them all the same: its shape demands it.
    #[must_use]
    pub fn without_server_info(self) -> Self {
        self.change(|inner| inner.sends_info = false)
    }

    fn change_info(self, change: impl FnOnce(&mut Implementation)) -> Self {
        self.change(|inner| {
            change(&mut inner.info);
            let rendered = serde_json::to_string(&inner.info).unwrap_or_default();
            inner.rendered_info = Arc::from(rendered);
        })
    }

    /// How to use the server, for the model.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<String>) -> Self {
        self.change(|inner| inner.instructions = Some(instructions.into()))
    }

    /// Which tools a caller can see. A hidden tool can't be called either, and a caller can't tell
    /// it from one that does not exist (TOOL-22).
    #[must_use]
    pub fn with_tool_visibility(
        self,
        visible: impl Fn(&C, &tool::Declaration) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.change(|inner| inner.access.tool_visibility = Policy::new(visible))
    }

    /// Which of the tools that a caller can see it may also call. A refused call is answered like
    /// one of a tool that does not exist (TOOL-18, TOOL-22).
    #[must_use]
    pub fn with_tool_callability(
        self,
        callable: impl Fn(&C, &tool::Declaration) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.change(|inner| inner.access.tool_callability = Policy::new(callable))
    }

    /// Which resources and templates a caller can see, read and complete (RES-07). What a template
    /// shows of its own in a list, and which of its URIs exist for whom, its functions decide: what
    /// is hidden is as if it were not there, so the URI of a hidden direct resource is one like any
    /// other to a template that it fits.
    #[must_use]
    pub fn with_resource_access(
        self,
        access: impl Fn(&C, &resource::Declaration) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.change(|inner| inner.access.resource = Policy::new(access))
    }

    /// Which prompts a caller can see, get and complete.
    #[must_use]
    pub fn with_prompt_access(
        self,
        access: impl Fn(&C, &prompt::Declaration) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.change(|inner| inner.access.prompt = Policy::new(access))
    }

    /// Declares the logging capability, so that [`Call::log`] reaches the client (DISC-03,
    /// LOG-05). Off by default: the protocol has deprecated it.
    #[must_use]
    pub fn with_logging(self, logging: bool) -> Self {
        self.change(|inner| inner.logging = logging)
    }

    /// How many items one page of a list holds: 100 by default, at least 1.
    #[must_use]
    pub fn with_page_size(self, size: usize) -> Self {
        self.change(|inner| inner.page_size = size.max(1))
    }

    /// How long, and by whom, a kind of result may be cached (CACHE-07: not at all by default).
    #[must_use]
    pub fn with_cache(self, of: Cacheable, cache: Cache) -> Self {
        self.change(|inner| {
            inner.caches.insert(of, cache);
        })
    }

    /// Declares an extension and its settings under a prefixed identifier such as
    /// `com.example/search` (DISC-05, EXT-01).
    ///
    /// # Panics
    ///
    /// If the identifier has no prefix, or either part is not letters and digits joined by `.`,
    /// `-` or, in the name, `_`.
    #[must_use]
    pub fn with_extension(self, identifier: &str, settings: Map<String, Value>) -> Self {
        if !is_extension(identifier) {
            refuse(&format!(
                "{identifier:?} is no extension identifier: write a prefix and a name, such as \
                 \"com.example/search\""
            ))
        }
        self.change(|inner| {
            inner
                .extensions
                .insert(identifier.to_owned(), Value::Object(settings));
        })
    }

    /// Which protocol revisions the server speaks: all by default. Legacy revisions are reached by
    /// `initialize` alone, the modern one by each request's `_meta`.
    ///
    /// An empty list is as good as all.
    #[must_use]
    pub fn with_revisions(self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        let wanted: Vec<_> = revisions.into_iter().collect();
        let served = |revision: &Revision| wanted.is_empty() || wanted.contains(revision);
        self.change(|inner| inner.revisions = Revision::ALL.into_iter().filter(served).collect())
    }

    /// The keys that seal cursors. Random by default; replicas that answer for one another share
    /// theirs.
    #[must_use]
    pub fn with_keys(self, keys: KeyRing) -> Self {
        self.change(|inner| inner.keys = keys)
    }

    /// The keys that seal cursors.
    #[must_use]
    pub fn keys(&self) -> &KeyRing {
        &self.inner.keys
    }

    /// Whom the server's tokens are for: a token sealed with the same keys by a server of another
    /// audience does not open. The server's name by default, never its version.
    #[must_use]
    pub fn with_audience(self, audience: impl Into<String>) -> Self {
        self.change(|inner| inner.audience = Some(Arc::from(audience.into())))
    }

    /// Where the server reads the time from; the system by default, in tests a
    /// [`ManualClock`](crate::ManualClock).
    #[must_use]
    pub fn with_clock(self, clock: impl Into<Clock>) -> Self {
        self.change(|inner| inner.clock = clock.into())
    }
}

impl<C: Send + Sync + 'static> Server<C> {
    /// Suggests values wherever no completer of the argument's or the variable's own does.
    #[must_use]
    pub fn with_completion<F, Fut, R>(self, complete: F) -> Self
    where
        F: Fn(Call<C>, completion::Request) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: Into<Completion> + 'static,
    {
        let complete = Completer::new(complete, |given: R| Ok(given.into()));
        self.change(|inner| inner.completion = Some(complete))
    }
}

/// The grammar of `_meta` keys, with the prefix that extensions must have (EXT-01).
fn is_extension(identifier: &str) -> bool {
    let word = |text: &str, joiners: &[char]| {
        let joiner_or_alphanumeric = |c: char| c.is_ascii_alphanumeric() || joiners.contains(&c);
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.ends_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(joiner_or_alphanumeric)
    };
    let label =
        |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic()) && word(text, &['-']);
    identifier
        .split_once('/')
        .is_some_and(|(prefix, name)| prefix.split('.').all(label) && word(name, &['-', '_', '.']))
}

#[cfg(test)]
mod tests {
    use super::is_extension;

    // EXT-01
    #[test]
    fn extensions_need_a_prefix_and_a_name() {
        for good in [
            "com.example/search",
            "io.modelcontextprotocol/ui",
            "x/a_b.c-d",
        ] {
            assert!(is_extension(good), "{good}");
        }
        for bad in [
            "search",
            "/search",
            "com.example/",
            "com..example/x",
            "1com/x",
            "com.example/x y",
            "a/b/c",
        ] {
            assert!(!is_extension(bad), "{bad}");
        }
    }
}
