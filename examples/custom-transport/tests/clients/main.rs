//! Clients that connect at the same time, drive the transport and leave it.

#[cfg(test)]
mod meeting;

use custom_transport::frame::MAX_LENGTH;
use relay_runtime::Runtime;
use tokio::io::AsyncWriteExt;

use meeting::{Hall, connect, server};

#[tokio::test]
async fn two_clients_are_served_at_once() {
    let (runtime, hall) = (Runtime::new(server()), Hall::new());
    let (mut one, first) = connect(&runtime, &hall);
    let (mut other, second) = connect(&runtime, &hall);
    let clients = async move { tokio::join!(one.call("meet"), other.call("meet")) };
    let (met, first, second) = tokio::join!(clients, first, second);
    assert_eq!(met, ("met".to_owned(), "met".to_owned()));
    first.and(second).unwrap();
}

// CAN-03
#[tokio::test]
async fn what_runs_for_a_client_that_leaves_is_cancelled() {
    let (runtime, hall) = (Runtime::new(server()), Hall::new());
    let (mut client, connection) = connect(&runtime, &hall);
    let waiting = async {
        client.send("wait").await;
        hall.waiting.notified().await;
    };
    tokio::select! {
        _ended = connection => panic!("the client is still there"),
        () = waiting => {}
    }
    // Here the connection is dropped.
    hall.left.notified().await;
    runtime.idle().await;
}

// STDIO-08
#[tokio::test]
async fn a_client_that_sends_no_more_still_gets_its_answers() {
    let (runtime, hall) = (Runtime::new(server()), Hall::new());
    let (mut client, connection) = connect(&runtime, &hall);
    let asked = async {
        client.send("user").await;
        client.0.shutdown().await.unwrap();
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["result"]["structuredContent"], "nobody");
        assert_eq!(client.receive().await, None);
    };
    let ((), served) = tokio::join!(asked, connection);
    served.unwrap();
}

// STDIO-11
#[tokio::test]
async fn a_frame_above_the_limit_is_answered() {
    let (runtime, hall) = (Runtime::new(server()), Hall::new());
    let (mut client, connection) = connect(&runtime, &hall);
    let asked = async {
        let length = (MAX_LENGTH + 1).to_be_bytes();
        client.0.write_all(&length).await.unwrap();
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["error"]["code"], -32600);
        assert_eq!(client.receive().await, None);
    };
    let ((), served) = tokio::join!(asked, connection);
    served.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_serves_until_the_runtime_stops_and_knows_its_users() {
    use std::os::unix::fs::MetadataExt;

    use custom_transport::socket;
    use tokio::net::{UnixListener, UnixStream};

    use meeting::Client;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("meet.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let runtime = Runtime::new(server());
    let clients = async {
        let mut one = Client(UnixStream::connect(&path).await.unwrap());
        let mut other = Client(UnixStream::connect(&path).await.unwrap());
        let met = tokio::join!(one.call("meet"), other.call("meet"));
        assert_eq!(met, ("met".to_owned(), "met".to_owned()));
        let user = folder.path().metadata().unwrap().uid().to_string();
        assert_eq!(one.call("user").await, user);
        drop(other);
        runtime.shutdown().await;
        assert_eq!(one.receive().await, None);
    };
    let serving = socket::serve(listener, runtime.clone(), Hall::new());
    let ((), served) = tokio::join!(clients, serving);
    served.unwrap();
}
