//! How a client of a legacy revision begins.

use std::task::{Context, Poll, Waker};

use relay_core::{Peer, protocol::legacy::Handshake};
use serde_json::{Value, json};

use super::RpcError;
use crate::Runtime;

/// What a client knows of its connection.
#[derive(Debug, Default)]
pub(super) struct Opening {
    pub(super) handshake: Handshake,
    /// The result of `initialize`, once there is one.
    pub(super) opened: Option<Value>,
}

impl Opening {
    /// Opens the session, unless it is open; `level` is set when it opens.
    pub(super) fn open<C: Send + Sync + 'static>(
        &mut self,
        runtime: &Runtime<C>,
        peer: &Peer<C>,
        initialize: &Value,
        level: Option<&str>,
    ) -> Result<&Value, RpcError> {
        if self.opened.is_none() {
            self.opened = Some(self.ask(runtime, peer, "initialize", initialize)?);
            let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            let told = told.to_string();
            drop(runtime.exchange_in(told.into(), peer, &mut self.handshake));
            if let Some(level) = level {
                self.ask(
                    runtime,
                    peer,
                    "logging/setLevel",
                    &json!({ "level": level }),
                )?;
            }
        }
        Ok(self.opened.as_ref().unwrap_or(&Value::Null))
    }

    /// A request that no handler answers, so that its answer is there at once.
    fn ask<C: Send + Sync + 'static>(
        &mut self,
        runtime: &Runtime<C>,
        peer: &Peer<C>,
        method: &str,
        params: &Value,
    ) -> Result<Value, RpcError> {
        let frame = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        let frame = frame.to_string();
        let mut exchange = runtime.exchange_in(frame.into(), peer, &mut self.handshake);
        match exchange.poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(answer)) => result(&read(answer.bytes())),
            Poll::Ready(None) | Poll::Pending => Err(RpcError::own("the server did not answer")),
        }
    }
}

/// The JSON of a frame; every frame is JSON.
pub(super) fn read(frame: &[u8]) -> Value {
    serde_json::from_slice(frame).unwrap_or_default()
}

/// The result in an answer.
pub(super) fn result(answer: &Value) -> Result<Value, RpcError> {
    match answer.get("error") {
        Some(error) => Err(RpcError::read(error)),
        None => Ok(answer.get("result").cloned().unwrap_or_default()),
    }
}
