//! A client in the same process, and the database behind it.

use std::path::Path;
use std::sync::Arc;

use relay_core::Peer;
use relay_runtime::{Exchange, Runtime};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::server;
use crate::store::Store;
use crate::tenant::{Role, Tenant};

pub(super) struct Client {
    runtime: Runtime<Tenant>,
    tenant: Tenant,
    folder: Arc<TempDir>,
}

impl Client {
    /// An editor with an empty notebook, and pages of two items.
    pub(super) fn editor() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("notes.db")).unwrap();
        Self {
            runtime: Runtime::new(server().with_page_size(2)),
            tenant: Tenant::new(&store, &"ann".parse().unwrap(), Some(Role::Editor)),
            folder: Arc::new(folder),
        }
    }

    /// A reader of the same notebook.
    pub(super) fn reader(&self) -> Self {
        Self {
            runtime: self.runtime.clone(),
            tenant: Tenant {
                role: Role::Reader,
                ..self.tenant.clone()
            },
            folder: Arc::clone(&self.folder),
        }
    }

    /// The folder of the database.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The result of a tool.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.result("tools/call", params).await
    }

    /// The structured content of a tool's result.
    pub(super) async fn output(&self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments).await;
        assert_eq!(result.get("isError"), None, "{result}");
        result["structuredContent"].take()
    }

    /// What a tool answers in place of its output.
    pub(super) async fn failure(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Every item of a list, page by page, and how many pages there were.
    pub(super) async fn list(&self, method: &str, member: &str) -> (Vec<Value>, usize) {
        let (mut items, mut pages, mut params) = (Vec::new(), 0, json!({}));
        loop {
            let mut page = self.result(method, params).await;
            items.append(page[member].as_array_mut().unwrap());
            pages += 1;
            match page.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return (items, pages),
            }
        }
    }

    pub(super) async fn completions(&self, reference: Value, name: &str, typed: &str) -> Value {
        let argument = json!({ "name": name, "value": typed });
        let params = json!({ "ref": reference, "argument": argument });
        self.result("completion/complete", params).await["completion"].take()
    }

    pub(super) async fn result(&self, method: &str, params: Value) -> Value {
        let mut answer = self.answer(method, params).await;
        assert_eq!(answer.get("error"), None, "{method}: {answer}");
        answer["result"].take()
    }

    pub(super) async fn error(&self, method: &str, params: Value) -> Value {
        let mut answer = self.answer(method, params).await;
        assert_eq!(answer.get("result"), None, "{method}: {answer}");
        answer["error"].take()
    }

    /// The whole answer.
    pub(super) async fn answer(&self, method: &str, params: Value) -> Value {
        let mut exchange = self.begin(method, params);
        let answer = exchange.next().await.unwrap();
        assert!(answer.is_answer());
        serde_json::from_slice(answer.bytes()).unwrap()
    }

    /// A call that asks for its progress.
    pub(super) fn call_with_progress(&self, tool: &str, arguments: &Value) -> Exchange {
        let meta = json!({ "progressToken": "p" });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        self.begin("tools/call", params)
    }

    /// Waits until nothing runs any more.
    pub(super) async fn idle(&self) {
        self.runtime.idle().await;
    }

    fn begin(&self, method: &str, mut params: Value) -> Exchange {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let peer = Peer::new(self.tenant.clone());
        self.runtime.exchange(request.to_string().into(), peer)
    }
}
