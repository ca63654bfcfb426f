//! A transport of one's own: Relay over a Unix socket.
//!
//! Relay's transports stand on two methods of [`Runtime`](relay_runtime::Runtime), which are there
//! for everyone: `exchange` pairs each frame with its answer, as HTTP does, and `connect` carries
//! frames both ways, as a pipe does. This crate is a transport on `connect`: a socket on which any
//! number of clients connect, each frame behind its length.
//!
//! Three things are a transport's to decide, and each has a module here:
//!
//! | | here | module |
//! |---|---|---|
//! | what a frame looks like on the wire | four bytes of length, then that many bytes of JSON | [`frame`] |
//! | how long a connection lasts | until the client sends no more and all is answered | [`pipe`] |
//! | who is at the other end | the user whose process connected, as the kernel tells | `socket` |
//!
//! Everything else is the runtime's: reading the JSON, choosing the protocol revision, running many
//! requests at a time, progress, cancellation, deadlines, and making the client wait when it sends
//! more than may run.
//!
//! # Try it
//!
//! ```sh
//! cargo run -p custom-transport -- /tmp/whoami.sock
//! ```
//!
//! and in another terminal, with Python:
//!
//! ```python
//! import json, socket, struct
//!
//! client = socket.socket(socket.AF_UNIX)
//! client.connect("/tmp/whoami.sock")
//!
//! def ask(method, **params):
//!     params["_meta"] = {
//!         "io.modelcontextprotocol/protocolVersion": "2026-07-28",
//!         "io.modelcontextprotocol/clientCapabilities": {},
//!     }
//!     request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
//!     frame = json.dumps(request).encode()
//!     client.sendall(struct.pack(">I", len(frame)) + frame)
//!     length, = struct.unpack(">I", client.recv(4, socket.MSG_WAITALL))
//!     return json.loads(client.recv(length, socket.MSG_WAITALL))
//!
//! print(ask("tools/call", name="whoami"))
//! ```

pub mod frame;
pub mod pipe;
#[cfg(unix)]
pub mod socket;
