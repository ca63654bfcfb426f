//! What prompts and resources suggest while the user types.

use relay_core::{Call, Error};

use crate::tenant::Tenant;

/// One more than an answer holds, so that the client learns that there are more.
const LIMIT: usize = 101;

/// The ids of notes that begin with what was typed.
pub(crate) async fn ids(call: Call<Tenant>, typed: String) -> Result<Vec<String>, Error> {
    Ok(call.context().notebook.ids(typed, LIMIT).await?)
}

/// The tags that begin with what was typed.
pub(crate) async fn tags(call: Call<Tenant>, typed: String) -> Result<Vec<String>, Error> {
    let tags = call.context().notebook.tags(typed, None, LIMIT).await?;
    Ok(tags.into_iter().map(|tag| tag.name).collect())
}
