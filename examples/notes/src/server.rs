//! The server value: what there is, and who may see it.

use relay_core::Server;

use crate::tenant::Tenant;
use crate::{prompts, resources, tools};

/// The notes server. The same value serves every tenant and every transport.
pub(crate) fn server() -> Server<Tenant> {
    Server::new(tools::all())
        .with_resources(resources::all())
        .with_prompts(prompts::all())
        .with_info("notes", env!("CARGO_PKG_VERSION"))
        .with_title("Notes")
        .with_description("Keeps notes, finds them again and shows when they were written")
        .with_instructions(INSTRUCTIONS)
        .with_tool_visibility(|tenant: &Tenant, tool| tenant.role.may_use(tool))
}

const INSTRUCTIONS: &str = "\
The notes belong to the user. Look for what they ask about with `search`, and read a whole note \
as the resource `note://{id}`. Add or change notes only when asked to; before deleting one, name \
it and let the user agree.";

#[cfg(test)]
mod tests;
