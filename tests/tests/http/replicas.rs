//! Replicas in processes of their own, with one key ring and nothing else between them.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use relay_core::Revision;
use relay_tests::{schema, web::Post};
use serde_json::{Map, Value, json};

use super::support::fetch;

/// A started process, which ends with its test.
struct Replica {
    process: Child,
    address: SocketAddr,
}

impl Replica {
    /// Starts a replica with these keys, the first of which seals.
    fn start(keys: &[u8], audience: &str) -> Self {
        let keys: Vec<_> = keys.iter().map(|key| STANDARD.encode([*key; 32])).collect();
        let mut process = Command::new(env!("CARGO_BIN_EXE_replica"))
            .args(["--audience", audience])
            .env("RELAY_KEYS", keys.join(","))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        output.read_line(&mut line).expect("a line");
        let address = line.trim_end().parse().expect("an address");
        Self { process, address }
    }

    fn three(keys: &[u8]) -> [Self; 3] {
        [(); 3].map(|()| Self::start(keys, "travel"))
    }

    fn hold(&self) -> u32 {
        self.process.id()
    }

    /// What a user's request comes to: the status, and the body as it was sent.
    async fn send_as(&self, user: &str, params: &Value) -> (u16, String) {
        let post =
            Post::modern("tools/call", params).with("authorization", format!("Bearer {user}"));
        let (status, body) = fetch(self.address, &post).await;
        let message = serde_json::from_str(&body).expect("JSON");
        let faults = schema::faults(Revision::V2026_07_28, Some("tools/call"), &message);
        assert!(faults.is_empty(), "{message}\n{faults:#?}");
        (status, body)
    }

    async fn send(&self, params: &Value) -> (u16, String) {
        self.send_as("ada", params).await
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// One booking on its way through its rounds.
#[derive(Clone)]
struct Booking {
    tool: &'static str,
    flight: String,
    responses: Option<Value>,
    state: Option<String>,
    /// The process that began it.
    hold: Option<u32>,
    /// What it came to.
    ticket: Option<String>,
}

impl Booking {
    fn new(tool: &'static str, flight: String) -> Self {
        Self {
            tool,
            flight,
            responses: None,
            state: None,
            hold: None,
            ticket: None,
        }
    }

    fn params(&self) -> Value {
        let mut params = json!({
            "name": self.tool,
            "arguments": { "flight": self.flight, "seats": 2 },
            "_meta": { "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } },
        });
        if let Some(responses) = &self.responses {
            params["inputResponses"] = responses.clone();
        }
        if let Some(state) = &self.state {
            params["requestState"] = json!(state);
        }
        params
    }

    /// Sends the next request of the booking.
    async fn advance(&mut self, replica: &Replica) {
        let (status, body) = replica.send(&self.params()).await;
        assert_eq!(status, 200, "{}: {body}", self.flight);
        let result: Value = serde_json::from_str(&body).expect("JSON");
        let result = &result["result"];
        self.hold.get_or_insert_with(|| replica.hold());
        if result["resultType"] == "complete" {
            assert_ne!(result["isError"], true, "{}: {body}", self.flight);
            self.ticket = result["structuredContent"].as_str().map(str::to_owned);
            return;
        }
        assert_eq!(result["resultType"], "input_required", "{body}");
        let questions = result["inputRequests"].as_object().expect("questions");
        let responses = questions.keys().map(|key| {
            let filled = match &**key {
                "seat" => json!("12A"),
                "meal" => json!("pie"),
                _ => json!(3),
            };
            let response = json!({ "action": "accept", "content": { key: filled } });
            (key.clone(), response)
        });
        self.responses = Some(responses.collect::<Map<_, _>>().into());
        self.state = result["requestState"].as_str().map(str::to_owned);
    }

    fn check(&self) {
        let hold = self.hold.expect("a beginning");
        let expected = format!("2 on {}: 12A, pie, 3, held by {hold}", self.flight);
        assert_eq!(self.ticket.as_deref(), Some(&*expected));
    }
}

/// One booking for each order in which three replicas can take the four requests that it needs,
/// and that order.
fn every_order() -> Vec<([usize; 4], Booking)> {
    let digits = |number: usize| [27, 9, 3, 1].map(|place| number / place % 3);
    let booking = |number: usize| Booking::new("book", format!("RL {number}"));
    (0..81)
        .map(|number| (digits(number), booking(number)))
        .collect()
}

// MRTR-12, M01
#[tokio::test]
async fn any_replica_takes_any_round() {
    let replicas = Replica::three(&[1]);
    for (order, mut booking) in every_order() {
        for replica in order {
            assert_eq!(booking.ticket, None, "three questions take four requests");
            booking.advance(&replicas[replica]).await;
        }
        booking.check();
    }
}

// RS-09, MRTR-12
#[tokio::test]
async fn keys_are_rotated_between_rounds_and_nothing_is_refused() {
    let (old, new) = (1, 2);
    let mut replicas = Replica::three(&[old]);
    let mut bookings = every_order();
    // Before the old key is removed its last tokens have expired: here, they were all used.
    let steps: [Option<&[u8]>; 4] = [Some(&[old, new]), Some(&[new, old]), None, Some(&[new])];
    for (round, step) in steps.into_iter().enumerate() {
        // A part of the bookings goes on before any replica has taken the step, a part after each.
        for restarted in 0..=replicas.len() {
            for (number, (order, booking)) in bookings.iter_mut().enumerate() {
                if number % 4 == restarted {
                    booking.advance(&replicas[order[round]]).await;
                }
            }
            if let (Some(keys), Some(replica)) = (step, replicas.get_mut(restarted)) {
                *replica = Replica::start(keys, "travel");
            }
        }
    }
    for (_, booking) in &bookings {
        booking.check();
    }
}

/// The state with the character in its middle changed.
fn altered(state: &str) -> String {
    let mut altered = state.to_owned().into_bytes();
    let middle = altered.len() / 2;
    altered[middle] = if altered[middle] == b'A' { b'B' } else { b'A' };
    String::from_utf8(altered).expect("ASCII")
}

// RS-02, RS-03, RS-05, RS-08, RS-11, M01
#[tokio::test]
async fn what_is_not_this_requests_state_is_refused_in_the_same_bytes() {
    let [one, two] = [(); 2].map(|()| Replica::start(&[1], "travel"));
    let other_keys = Replica::start(&[2, 3], "travel");
    let other_server = Replica::start(&[1], "hotel");
    let mut booking = Booking::new("book", "RL 1".to_owned());
    booking.advance(&one).await;
    let good = booking.params();
    let state = booking.state.clone().expect("state");
    let with = |pointer: &str, value: Value| {
        let mut params = good.clone();
        *params.pointer_mut(pointer).expect("a member") = value;
        params
    };
    let junk = one.send(&with("/requestState", json!("junk"))).await;
    assert!(junk.0 == 200 && junk.1.contains("-32602"), "{junk:?}");

    for params in [
        with("/requestState", json!("")),
        with("/requestState", json!(altered(&state))),
        with("/requestState", json!(state.split_at(state.len() - 1).0)),
        with("/requestState", json!(format!("{state}A"))),
        with("/requestState", json!(state.repeat(5000))),
        with("/name", json!("book_other")),
        with("/arguments/flight", json!("RL 2")),
        with("/arguments/seats", json!(3)),
        with("/arguments/seats", json!("2")),
        with("/arguments", json!({ "flight": "RL 1" })),
    ] {
        assert_eq!(two.send(&params).await, junk, "{params}");
    }
    assert_eq!(two.send_as("bob", &good).await, junk);
    assert_eq!(other_keys.send(&good).await, junk);
    assert_eq!(other_server.send(&good).await, junk);

    // It was good all the time, also with its arguments spelled in another way.
    let (status, body) = two.send(&with("/arguments/seats", json!(2.0))).await;
    assert!(status == 200 && body.contains("input_required"), "{body}");
    for replica in [&two, &one, &two] {
        booking.advance(replica).await;
    }
    booking.check();
}

// RS-06
#[tokio::test]
async fn a_single_use_tool_takes_each_answer_once() {
    let replica = Replica::start(&[1], "travel");
    let mut booking = Booking::new("book_once", "RL 1".to_owned());
    let mut used = Vec::new();
    for _ in 0..3 {
        booking.advance(&replica).await;
        used.push(booking.clone());
    }
    // At once, of which one is the first.
    let last = booking.params();
    let (one, other) = tokio::join!(replica.send(&last), replica.send(&last));
    let complete = |reply: &(u16, String)| reply.1.contains("\"resultType\":\"complete\"");
    let (first, second) = if complete(&one) {
        (one, other)
    } else {
        (other, one)
    };
    assert!(complete(&first), "{first:?}");
    let mut junk = last.clone();
    junk["requestState"] = json!("junk");
    let junk = replica.send(&junk).await;
    assert_eq!(second, junk);
    for booking in used {
        assert_eq!(
            replica.send(&booking.params()).await,
            junk,
            "{:?}",
            booking.state
        );
    }

    // Sealing alone does not do it.
    let mut booking = Booking::new("book", "RL 1".to_owned());
    booking.advance(&replica).await;
    booking.clone().advance(&replica).await;
    booking.advance(&replica).await;
}
