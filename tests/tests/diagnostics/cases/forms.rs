// expects: `ObjectCodec<()>` is not a form
use relay_core::{codec, tool};

fn main() {
    let _name = tool::define("name", codec::object(()), codec::string()).with_forms(codec::object(()));
}
