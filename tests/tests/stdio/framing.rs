//! Bytes to messages: line ends, byte order marks, chunks, lengths.

use serde_json::{Value, json};

use super::{
    process::Process,
    requests::{call, ping, request},
};

/// The limit of a line, unless set.
const LIMIT: usize = 16 * 1024 * 1024;

/// What one may allow beyond the limit: the executable, its threads, the chunks on their way.
const CONSTANT: u64 = 24 * 1024 * 1024;

fn text(answer: &Value) -> &str {
    answer["result"]["structuredContent"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
}

// STDIO-01, STDIO-10, S01, LIO-01
#[test]
fn carriage_returns_and_blank_lines_are_no_messages() {
    let mut server = Process::start(&[]);
    let ping = ping("after");
    server.note(&ping);
    server.write(format!("{ping}\r\n").as_bytes());
    assert_eq!(server.message()["id"], "after");
    for blank in ["\n", "   \n", "\r\n", "\t \r\n", "\n\n\n"] {
        server.write(blank.as_bytes());
        server.probe();
    }
    // Only a newline ends a line.
    server.write(format!("{ping}\r{ping}\n").as_bytes());
    let answer = server.message();
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    server.probe();
}

// S03
#[test]
fn a_byte_order_mark_is_dropped() {
    let mut server = Process::start(&[]);
    let first = ping(1);
    server.note(&first);
    server.write(b"\xef");
    server.write(b"\xbb\xbf");
    server.write(format!("{first}\r\n").as_bytes());
    assert_eq!(server.message()["id"], 1);
    server.probe();
    let echo = call(2, "echo", json!({ "text": "\u{feff}kept" }));
    server.note(&echo);
    server.write(format!("\u{feff}{echo}\n").as_bytes());
    assert_eq!(text(&server.message()), "\u{feff}kept");
    server.probe();
}

// STDIO-01, S05
#[test]
fn chunks_do_not_matter() {
    let large = "0123456789".repeat(512 * 1024);
    let message = call(1, "echo", json!({ "text": large })) + "\n";
    let mut server = Process::start(&[]);
    server.note(message.trim());
    let whole = message.as_bytes();
    let (start, rest) = whole.split_at(4 * 1024 * 1024 + 1);
    let pieces: [Vec<&[u8]>; 3] = [
        vec![whole],
        vec![start, rest],
        whole[..64 * 1024]
            .chunks(1)
            .chain([&whole[64 * 1024..]])
            .collect(),
    ];
    for pieces in pieces {
        for piece in pieces {
            server.write(piece);
        }
        let answer = server.message();
        assert!(text(&answer) == large);
        server.probe();
    }
}

// S05
#[test]
fn a_character_may_come_in_pieces() {
    let said = "\u{2014}\u{8bfb}\u{1f389}";
    let message = call(1, "echo", json!({ "text": said }));
    let mut server = Process::start(&[]);
    server.note(&message);
    for cut in (0..message.len()).filter(|cut| !message.is_char_boundary(*cut)) {
        let (start, rest) = message.as_bytes().split_at(cut);
        server.write(start);
        server.write(rest);
        server.write(b"\n");
        assert_eq!(text(&server.message()), said);
    }
    server.probe();
}

// STDIO-11, S05
#[test]
fn a_line_over_the_limit_is_answered_and_the_next_one_read() {
    let mut server = Process::start(&[]);
    let refused = |answer: Value| {
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer.get("id").is_none(), "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(&LIMIT.to_string()), "{message}");
    };
    server.write(&vec![b'x'; LIMIT + 1]);
    // Before the line ends.
    refused(server.message());
    server.write(b"xx\n");
    server.probe();
    // A line at the limit is read.
    server.write(&vec![b'x'; LIMIT]);
    server.write(b"\n");
    assert_eq!(server.message()["error"]["code"], -32700);
    // What is valid comes first.
    let ping = ping("before");
    server.note(&ping);
    let mut both = format!("{ping}\n").into_bytes();
    both.extend(vec![b'x'; LIMIT + 1]);
    both.push(b'\n');
    server.write(&both);
    assert_eq!(server.message()["id"], "before");
    refused(server.message());
    server.probe();
}

// STDIO-11
#[test]
fn the_limit_can_be_set() {
    let mut server = Process::start(&["--line-limit", "1000"]);
    server.write(&[b'x'; 1001]);
    let message = server.message()["error"]["message"].clone();
    assert_eq!(message, "a line may have at most 1000 bytes");
    server.write(b"\n");
    server.probe();
}

// STDIO-11, S05
#[cfg(target_os = "linux")]
#[test]
fn an_endless_line_takes_no_more_memory_than_the_limit() {
    let mut server = Process::start(&[]);
    server.probe();
    let before = server.peak();
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..256 {
        server.write(&piece);
    }
    assert_eq!(server.message()["error"]["code"], -32600);
    server.write(b"\n");
    server.probe();
    let grown = server.peak() - before;
    assert!(grown < LIMIT as u64 + CONSTANT, "{grown} bytes more");
}

// STDIO-10, S06
#[test]
fn what_is_not_text_is_refused_and_never_mended() {
    let mut server = Process::start(&[]);
    let [start, rest] = ["{\"jsonrpc\":\"2.0\",\"id\":7,", "}"];
    let echo = call(7, "echo", json!({ "text": "TEXT" }));
    let (before, after) = echo.split_once("TEXT").unwrap();
    let with = |bytes: &[u8]| [before.as_bytes(), bytes, after.as_bytes(), b"\n"].concat();
    let bad: [Vec<u8>; 6] = [
        b"\xff\xfe\n".to_vec(),
        with(b"\xd2\xe5"),
        with(b"\xed\xa0\x80"),
        with(b"\\ud83d"),
        with(b"\\udcaf"),
        [start.as_bytes(), b"\"\xff\":1", rest.as_bytes(), b"\n"].concat(),
    ];
    for line in bad {
        server.write(&line);
        let answer = server.message();
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
        assert!(answer.get("id").is_none(), "{answer}");
        server.probe();
    }
    for (escaped, said) in [("\\ud83d\\ude00", "\u{1f600}"), ("\\u0000", "\0")] {
        server.note(&echo);
        server.write(&with(escaped.as_bytes()));
        assert_eq!(text(&server.message()), said);
        server.probe();
    }
}

// STDIO-01
#[test]
fn what_is_said_is_one_line_whatever_is_in_it() {
    let mut server = Process::start(&[]);
    let said = "one\ntwo\r\nthree\u{2028}four\u{85}";
    let answer = server.ask(&call("a\nb", "echo", json!({ "text": said })));
    assert_eq!((text(&answer), &answer["id"]), (said, &json!("a\nb")));
    let answer = server.ask(&request(2, "no\nsuch\r\nmethod", json!({})));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    server.probe();
}
