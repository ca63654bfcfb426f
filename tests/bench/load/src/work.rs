//! What is asked, and what has to come back.

use std::fmt;

use bench_shared::{REVISION, STEPS, TOOLS, arguments, frame, message};

use crate::Failure;

/// A kind of work: one request, or several of which each follows from the answer before it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Work {
    Echo(usize),
    Book,
    BookBuilt,
    Count,
    List,
    /// The first page of this many tools.
    Page(usize),
    /// Page after page, ten entries each.
    Walk,
    Discover,
    /// `initialize`, then a call, without a session.
    Legacy,
    // A dialogue of three rounds belongs here, as another chain: see `follow`.
}

impl Work {
    /// What the contenders are started with.
    pub(crate) fn options(self) -> String {
        let work = match self {
            Self::Echo(_) => "echo",
            Self::Book | Self::BookBuilt => "book",
            _ => "other",
        };
        match self {
            Self::Page(tools) => format!("--work {work} --tools {tools}"),
            Self::Walk => format!("--work {work} --page 10"),
            _ => format!("--work {work}"),
        }
    }

    /// Its only request, or its first.
    pub(crate) fn first(self, host: &str) -> Vec<u8> {
        self.follow(host, 0, &[]).unwrap_or_default()
    }

    /// Whether each request depends on the answer before it.
    pub(crate) fn is_chain(self) -> bool {
        matches!(self, Self::Walk | Self::Legacy)
    }

    /// The request after so many of them, of which the last was answered with this; nothing at the
    /// end of the chain.
    pub(crate) fn follow(self, host: &str, step: usize, answer: &[u8]) -> Option<Vec<u8>> {
        let head = Post {
            host,
            revision: Some(REVISION),
            token: None,
        };
        let of_kind = |kind| frame(kind, 1).unwrap_or_default();
        let call = |name| head.call(name, &of_kind(name));
        let list =
            |params: &str| head.post("tools/list", None, &message(1, "tools/list", params, ""));
        match (self, step) {
            (Self::Echo(bytes), _) => Some(head.echo(bytes)),
            (Self::Book, _) => Some(call("book")),
            (Self::BookBuilt, _) => Some(call("book_built")),
            (Self::Count, _) => Some(call("count")),
            (Self::Discover, _) => Some(head.post("server/discover", None, &of_kind("discover"))),
            (Self::List | Self::Page(_), _) | (Self::Walk, 0) => Some(list("")),
            (Self::Walk, _) => {
                let answer = str::from_utf8(answer).ok()?;
                let (_, cursor) = answer.split_once(r#""nextCursor":""#)?;
                let (cursor, _) = cursor.split_once('"')?;
                Some(list(&format!(r#""cursor":"{cursor}""#)))
            }
            (Self::Legacy, step) => legacy(host, step),
        }
    }

    /// Looks at one answer, so that nothing fast is an error.
    pub(crate) fn check(self, answer: &[u8]) -> Result<(), Failure> {
        let text = str::from_utf8(answer)?;
        let holds = |what: &str, count| text.matches(what).count() == count;
        let fine = match self {
            Self::Echo(bytes) => holds(&format!(r#""text":"{}""#, "a".repeat(bytes)), 1),
            Self::Book | Self::BookBuilt => {
                text.contains("price") && text.contains("structuredContent")
            }
            Self::Count => {
                holds("notifications/progress", STEPS as usize) && text.contains("counted")
            }
            Self::List => holds(r#""inputSchema""#, TOOLS),
            Self::Page(_) => holds(r#""inputSchema""#, 100) && text.contains("nextCursor"),
            Self::Walk => text.contains(r#""inputSchema""#),
            Self::Discover => text.contains("supportedVersions"),
            Self::Legacy => text.contains(r#""result""#),
        };
        if fine && !text.contains(r#""isError":true"#) && !text.contains(r#""error""#) {
            return Ok(());
        }
        let shown: String = text.chars().take(600).collect();
        Err(format!("{self} was answered with {shown}").into())
    }
}

fn legacy(host: &str, step: usize) -> Option<Vec<u8>> {
    const LEGACY: &str = "2025-11-25";
    match step {
        0 => {
            let head = Post {
                host,
                revision: None,
                token: None,
            };
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{LEGACY}","capabilities":{{}},"clientInfo":{{"name":"bench","version":"1.0.0"}}}}}}"#
            );
            Some(head.post("initialize", None, &body))
        }
        1 => {
            let head = Post {
                host,
                revision: Some(LEGACY),
                token: None,
            };
            let arguments = arguments("echo", 30);
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
            );
            Some(head.call("echo", &body))
        }
        _ => None,
    }
}

/// The head of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post<'a> {
    pub(crate) host: &'a str,
    pub(crate) revision: Option<&'a str>,
    pub(crate) token: Option<&'a str>,
}

impl Post<'_> {
    pub(crate) fn echo(self, bytes: usize) -> Vec<u8> {
        let params = format!(r#""name":"echo","arguments":{}"#, arguments("echo", bytes));
        self.call("echo", &message(1, "tools/call", &params, ""))
    }

    pub(crate) fn call(self, tool: &str, body: &str) -> Vec<u8> {
        self.post("tools/call", Some(tool), body)
    }

    pub(crate) fn post(self, method: &str, name: Option<&str>, body: &str) -> Vec<u8> {
        let optional = |field: &str, value: Option<&str>| {
            value.map_or_else(String::new, |value| format!("{field}: {value}\r\n"))
        };
        let revision = optional("MCP-Protocol-Version", self.revision);
        let name = optional("Mcp-Name", name);
        let token = optional("Authorization", self.token);
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{revision}Mcp-Method: {method}\r\n\
             {name}{token}Content-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        )
        .into_bytes()
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Echo(bytes) => write!(f, "echo of {}", crate::figures::bytes(*bytes as u64)),
            Self::Book => f.write_str("validated nested call"),
            Self::BookBuilt => f.write_str("the same, built codecs"),
            Self::Count => f.write_str("20 progress events"),
            Self::List => write!(f, "`tools/list` of {TOOLS}"),
            Self::Page(tools) => write!(f, "one page of {tools}"),
            Self::Walk => f.write_str("cursor walk, a page"),
            Self::Discover => f.write_str("`server/discover`"),
            Self::Legacy => f.write_str("legacy `initialize`, then a call"),
        }
    }
}
