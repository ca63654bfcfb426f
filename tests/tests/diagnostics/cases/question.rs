// expects: `Form<u8>` can't be asked
use relay_core::{Call, Error, input::Form};

async fn row(call: &Call<()>, form: Form<u8>) -> Result<(), Error> {
    call.ask(form).await?;
    Ok(())
}

fn main() {
    let _row = row;
}
