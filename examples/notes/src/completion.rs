//! What prompts and resources suggest while the user types.

use relay_core::completion::Completion;
use relay_core::{Call, Error};

use crate::tenant::Tenant;

/// How many values are suggested.
const MOST: usize = 100;

/// The ids of notes that begin with what was typed.
pub(crate) async fn ids(call: Call<Tenant>, typed: String) -> Result<Completion, Error> {
    let ids = call.context().notebook.ids(typed, MOST + 1).await?;
    Ok(suggest(ids))
}

/// The tags that begin with what was typed.
pub(crate) async fn tags(call: Call<Tenant>, typed: String) -> Result<Completion, Error> {
    let tags = call.context().notebook.tags(typed, None, MOST + 1).await?;
    Ok(suggest(tags.into_iter().map(|tag| tag.name).collect()))
}

/// One value more than are suggested says that there are more, not how many.
fn suggest(mut values: Vec<String>) -> Completion {
    let more = values.len() > MOST;
    values.truncate(MOST);
    let completion = Completion::new(values);
    if more {
        completion.with_more()
    } else {
        completion
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_there_are_more_is_told_without_a_count() {
        let values = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(suggest(values(MOST)), Completion::new(values(MOST)));
        let first = Completion::new(values(MOST)).with_more();
        assert_eq!(suggest(values(MOST + 1)), first);
    }
}
