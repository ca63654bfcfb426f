//! A loop over lines: reads one, parses it, writes an answer, and writes out what it has before it
//! waits for more.

use std::io::{BufRead as _, BufReader, BufWriter, Write, stdin, stdout};

use crate::{
    Failure,
    message::{Message, Text},
};

pub(crate) fn serve() -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(64 * 1024, stdin().lock());
    let mut output = BufWriter::with_capacity(64 * 1024, stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let message: Message<'_, Text<'_>> = serde_json::from_slice(&line)?;
        let arguments = message.params.arguments.ok_or("a call has arguments")?;
        write!(
            output,
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{}"}}],"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"bench","version":"1.0.0"}}}}}}}}"#,
            message.id, arguments.text
        )?;
        output.write_all(b"\n")?;
        line.clear();
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    Ok(())
}
