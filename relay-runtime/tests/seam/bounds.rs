//! What a transport needs of the types, checked by the compiler.

use relay_core::{Peer, Server};
use relay_runtime::{
    Connection, Exchange, Frame, Incoming, Limits, Outgoing, Runtime, testing::Client,
};
use serde_json::json;

use crate::support::run;

/// A context that can't be cloned.
struct Context;

fn send<T: Send>(_: &T) {}

fn sent<T: Send>() {}

fn shared<T: Send + Sync + 'static>() {}

#[tokio::test]
async fn everything_may_move_between_threads_and_be_driven_by_a_task() {
    shared::<Runtime<Context>>();
    shared::<Client<Context>>();
    shared::<Frame>();
    shared::<Limits>();
    sent::<Exchange>();
    sent::<Connection<Context>>();
    sent::<Incoming<Context>>();
    sent::<Outgoing>();

    let runtime: Runtime<Context> = run(Server::new([]));
    let mut exchange = runtime.exchange("".into(), Peer::new(Context));
    send(&exchange.next());
    let (mut incoming, mut outgoing) = runtime.connect(Peer::new(Context)).split();
    send(&incoming.receive("".into()));
    send(&incoming.reject(""));
    send(&outgoing.next());
    send(&runtime.shutdown());
    send(&runtime.stopping());
    send(&runtime.idle());
    let client = Client::with_context(runtime, Context);
    send(&client.discover());
    send(&client.list_tools());
    send(&client.call("", json!({})));
}
