// expects: this handler must return `String`, but it returns `i32`
use relay_core::{Server, codec, tool};

fn main() {
    let name = tool::define("name", codec::object(()), codec::string()).handle(|()| async { Ok(7_i32) });
    let _server: Server<()> = Server::new([name]);
}
