//! The server over a database of its own, and what its tools answer.

use std::path::Path;

use relay_core::Server;
use relay_runtime::Runtime;
use relay_runtime::testing::{Client, RpcError};
use serde_json::Value;
use tempfile::TempDir;

use crate::server::server;
use crate::store::Store;
use crate::tenant::{Role, Tenant};
use crate::tools::share;

/// One tenant with an empty notebook, whom the server shows pages of two items.
pub(super) struct Fixture {
    pub(super) runtime: Runtime<Tenant>,
    store: Store,
    folder: TempDir,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            runtime: Runtime::new(server().with_page_size(2)),
            store: Store::open(&folder.path().join("notes.db")).unwrap(),
            folder,
        }
    }

    /// The same, with a page to share notes on.
    pub(super) fn sharing() -> Self {
        Self {
            runtime: Runtime::new(sharing()),
            ..Self::new()
        }
    }

    pub(super) fn tenant(&self, role: Role) -> Tenant {
        Tenant::new(&self.store, &"ann".parse().unwrap(), Some(role))
    }

    pub(super) fn editor(&self) -> Client<Tenant> {
        Client::with_context(self.runtime.clone(), self.tenant(Role::Editor))
    }

    pub(super) fn reader(&self) -> Client<Tenant> {
        Client::with_context(self.runtime.clone(), self.tenant(Role::Reader))
    }

    /// The folder of the database.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The server with every tool there is.
pub(super) fn sharing() -> Server<Tenant> {
    let page = "https://share.example/new".parse().unwrap();
    server().register_tool(share(page)).unwrap()
}

/// The structured result of a tool that does what it is asked.
pub(super) async fn output(client: &Client<Tenant>, tool: &str, arguments: Value) -> Value {
    let result = client.call(tool, arguments).await.unwrap();
    assert!(!result.is_error(), "{tool}: {}", result.text());
    result.structured().unwrap().clone()
}

/// What a tool says that does not.
pub(super) async fn failure(client: &Client<Tenant>, tool: &str, arguments: Value) -> String {
    let result = client.call(tool, arguments).await.unwrap();
    assert!(result.is_error(), "{tool}: {}", result.text());
    result.text()
}

pub(super) fn code(error: &RpcError) -> i64 {
    error.code.as_i64()
}
