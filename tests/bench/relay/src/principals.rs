//! Many principals, each seeing tools of its own.

use std::sync::Arc;

use bench_shared::Options;
use relay_http::{
    Endpoint, StaticTokens,
    relay_core::{Principal, tool::Declaration},
    relay_runtime::Runtime,
};

use crate::{Failure, tools};

/// The number of the caller.
pub(crate) struct Caller(usize);

pub(crate) fn endpoint(options: &Options) -> Result<Endpoint<Caller>, Failure> {
    let server = tools::server(options).with_tool_visibility(sees);
    let tokens = (0..options.principals).map(|number| {
        let principal = Principal::new("https://issuer.example", number.to_string());
        (format!("token-{number:05}"), principal)
    });
    let tokens = StaticTokens::new(tokens)?;
    let endpoint = Endpoint::from_context(
        Runtime::new(server),
        |parts: Arc<http::request::Parts>| async move {
            let principal = parts.extensions.get::<Principal>();
            let number = principal.and_then(|principal| principal.subject().parse().ok());
            Ok(Caller(number.unwrap_or_default()))
        },
    );
    Ok(endpoint.with_verifier(tokens))
}

/// Each principal misses another tool of those that are there to be listed.
fn sees(caller: &Caller, tool: &Declaration) -> bool {
    let number = tool.name().strip_prefix("search_");
    let number = number.and_then(|number| number.parse::<usize>().ok());
    number.is_none_or(|number| number % 16 != caller.0 % 16)
}
