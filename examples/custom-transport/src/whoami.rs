use std::fs;
use std::io;
use std::path::Path;

use custom_transport::socket;
use relay_core::{Call, Server, codec, tool};
use relay_runtime::Runtime;
use tokio::net::UnixListener;
use tokio::signal::ctrl_c;

/// Listens on a socket until Ctrl-C.
pub(crate) async fn serve(path: &Path) -> io::Result<()> {
    let listener = UnixListener::bind(path)?;
    let runtime = Runtime::new(server());
    let stop = async {
        ctrl_c().await?;
        runtime.shutdown().await;
        Ok(())
    };
    let served = tokio::try_join!(socket::serve(listener, runtime.clone(), ()), stop);
    fs::remove_file(path)?;
    served.map(drop)
}

fn server() -> Server<()> {
    let whoami = tool::define("whoami", codec::object(()), codec::string())
        .with_description("The id of the user whose process is connected.")
        .read_only(true)
        .open_world(false)
        .handle_call(|call: Call<()>, ()| async move {
            let user = call.principal().ok_or("the socket names every user")?;
            Ok(user.subject().to_owned())
        });
    Server::new([whoami]).with_info("whoami", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // T01, T04, T05
    #[test]
    fn no_client_refuses_a_tool() {
        for tool in server().tools() {
            let schema = tool.input_schema().to_value();
            let complaints = relay_tests::strict::complaints(&schema);
            assert_eq!(
                complaints,
                Vec::<String>::new(),
                "{}: {schema}",
                tool.name()
            );
        }
    }
}
