//! The requests, as text.

/// The revision that requests speak.
pub const REVISION: &str = "2026-07-28";

/// The members of `_meta` that every request has.
fn meta(more: &str) -> String {
    format!(
        r#"{{{more}"io.modelcontextprotocol/protocolVersion":"{REVISION}","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"bench","version":"1.0.0"}}}}"#
    )
}

/// A request of this method, with these members of `params` before `_meta`, and these within it.
#[must_use]
pub fn message(id: u64, method: &str, params: &str, more: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    let meta = meta(more);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{comma}"_meta":{meta}}}}}"#
    )
}

/// The arguments of a call to one of the working tools; of `echo`, so many bytes of text.
#[must_use]
pub fn arguments(tool: &str, bytes: usize) -> String {
    match tool {
        "echo" => format!(r#"{{"text":"{}"}}"#, "a".repeat(bytes)),
        "book" | "book_built" => concat!(
            r#"{"passenger":{"name":"Ada Lovelace","age":36},"legs":["#,
            r#"{"from":"LHR","to":"CDG","day":120},{"from":"CDG","to":"FCO","day":123},"#,
            r#"{"from":"FCO","to":"LHR","day":131}],"bags":2,"meal":"vegan"}"#
        )
        .to_owned(),
        _ => "{}".to_owned(),
    }
}

/// The request of a kind of work: `echo`, `book`, `book_built`, `count`, `list` or `discover`.
#[must_use]
pub fn frame(work: &str, id: u64) -> Option<String> {
    let call = |more| {
        let params = format!(r#""name":"{work}","arguments":{}"#, arguments(work, 30));
        message(id, "tools/call", &params, more)
    };
    Some(match work {
        "echo" | "book" | "book_built" | "allocated" => call(""),
        "count" => call(r#""progressToken":7,"#),
        "list" => message(id, "tools/list", "", ""),
        "discover" => message(id, "server/discover", "", ""),
        _ => return None,
    })
}
