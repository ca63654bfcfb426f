//! How much the process has allocated, told as a tool.

use std::alloc::System;

use relay_http::relay_core::{Tool, codec, content, tool};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The tool that tells how many bytes are allocated and not freed.
pub(crate) fn tool<C: Send + Sync + 'static>() -> Tool<C> {
    tool::define("allocated", codec::object(()), tool::content()).handle(|()| async {
        let stats = ALLOCATOR.stats();
        // Growing and shrinking in place is counted apart.
        let allocated = i128::try_from(stats.bytes_allocated)?;
        let freed = i128::try_from(stats.bytes_deallocated)?;
        Ok(vec![content::text((allocated - freed).to_string())])
    })
}
