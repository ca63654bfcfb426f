//! The one error type of every handler.

use std::{error::Error as StdError, fmt};

use serde::Serialize;
use serde_json::Value;

use crate::{content::Block, input::Pause};

/// Why a handler could not do what it was asked.
///
/// An error made by [`Error::new`] is *public*: its text is meant for the model and is sent.
/// Whatever converts with `?` (standard errors, `anyhow`, strings) is *private*: it is logged with
/// its chain of sources, and the peer gets a fixed text.
///
/// As `anyhow::Error`, and for the same reason, it does not implement [`std::error::Error`]: `?`
/// could not convert every error into it then.
///
/// ```
/// use relay_core::Error;
///
/// fn parse(text: &str) -> Result<i64, Error> {
///     if text.is_empty() {
///         return Err(Error::new("give a number"));   // the model reads this
///     }
///     Ok(text.parse()?)                              // the peer never sees this one
/// }
/// assert!(parse("").unwrap_err().is_public());
/// assert!(parse("x").unwrap_err().is_private());
/// ```
pub struct Error(Box<Kind>);

pub(crate) enum Kind {
    NotFound,
    /// The run ended for want of an answer.
    Pause(Pause),
    Private(Box<dyn StdError + Send + Sync>),
    Protocol {
        code: i64,
        message: String,
        data: Option<Value>,
    },
    Public {
        text: String,
        content: Vec<Block>,
        structured: Option<Value>,
    },
}

impl Error {
    /// A public error: `text` is sent and should tell the model what to do differently.
    ///
    /// A tool answers `isError: true` with it (TOOL-08), a prompt or a resource -32603.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Box::new(Kind::Public {
            text: text.into(),
            content: Vec::new(),
            structured: None,
        }))
    }

    /// What was asked for does not exist, or is none of the caller's business.
    ///
    /// A resource answers -32602 with `data.uri` (RES-02), a prompt -32602, a tool
    /// `isError: true`.
    #[must_use]
    pub fn not_found() -> Self {
        Self(Box::new(Kind::NotFound))
    }

    /// A JSON-RPC error of the author's own. Codes from -32768 to -32000 belong to the protocol:
    /// one of those is sent as -32603 (ERR-05).
    pub fn protocol(code: i64, message: impl Into<String>, data: impl Into<Option<Value>>) -> Self {
        Self(Box::new(Kind::Protocol {
            code,
            message: message.into(),
            data: data.into(),
        }))
    }

    /// Blocks that a tool's answer shows after the text of a public error. Other kinds of error
    /// are left as they are.
    #[must_use]
    pub fn with_content(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        if let Kind::Public { content, .. } = &mut *self.0 {
            content.extend(blocks);
        }
        self
    }

    /// Structured content for a tool's error answer. Other kinds of error are left as they are.
    ///
    /// It may be sent only where it fits the tool's output schema (TOOL-14); as Relay does not yet
    /// hold it to that, it is not sent.
    #[must_use]
    pub fn with_structured(mut self, value: impl Serialize) -> Self {
        if let Kind::Public { structured, .. } = &mut *self.0 {
            *structured = serde_json::to_value(value).ok();
        }
        self
    }

    /// Was made by [`Error::not_found`].
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(*self.0, Kind::NotFound)
    }

    /// Comes of an [`Interrupt`](crate::input::Interrupt): a handler that looks at its errors passes
    /// this one on.
    #[must_use]
    pub fn is_interrupt(&self) -> bool {
        matches!(*self.0, Kind::Pause(_))
    }

    /// Was converted from another error: logged, never sent.
    #[must_use]
    pub fn is_private(&self) -> bool {
        matches!(*self.0, Kind::Private(_))
    }

    /// Was made by [`Error::protocol`].
    #[must_use]
    pub fn is_protocol(&self) -> bool {
        matches!(*self.0, Kind::Protocol { .. })
    }

    /// Was made by [`Error::new`]: its text is sent.
    #[must_use]
    pub fn is_public(&self) -> bool {
        matches!(*self.0, Kind::Public { .. })
    }

    /// The error that a private error was converted from.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        match &*self.0 {
            Kind::Private(source) => Some(&**source),
            _ => None,
        }
    }

    pub(crate) fn into_kind(self) -> Kind {
        *self.0
    }

    pub(crate) fn from_kind(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for Error {
    fn from(error: E) -> Self {
        Self(Box::new(Kind::Private(error.into())))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::NotFound => f.write_str("NotFound"),
            Kind::Pause(_) => f.write_str("Pause"),
            Kind::Private(source) => f.debug_tuple("Private").field(source).finish(),
            Kind::Protocol { code, message, .. } => f
                .debug_struct("Protocol")
                .field("code", code)
                .field("message", message)
                .finish(),
            Kind::Public { text, .. } => f.debug_tuple("Public").field(text).finish(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::NotFound => f.write_str("not found"),
            Kind::Pause(_) => f.write_str("the client has to be asked first"),
            Kind::Private(source) => fmt::Display::fmt(source, f),
            Kind::Protocol { message, .. } => f.write_str(message),
            Kind::Public { text, .. } => f.write_str(text),
        }
    }
}
