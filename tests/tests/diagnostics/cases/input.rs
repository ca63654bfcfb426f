// expects: `Add` cannot be a tool input
use relay_core::{Server, codec, tool};

struct Add;

fn main() {
    let add = tool::define("add", codec::input::<Add>(), codec::string())
        .handle(|_add: Add| async { Ok(String::new()) });
    let _server: Server<()> = Server::new([add]);
}
