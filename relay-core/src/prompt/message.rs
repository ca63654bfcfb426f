use crate::content::{self, Block, Role};

/// One message of a prompt: who says it, and one block of content.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub(crate) role: Role,
    pub(crate) content: Block,
}

/// A message from the person.
///
/// ```
/// use relay_core::{content, prompt};
///
/// let text = prompt::user("Summarise this.");
/// let image = prompt::user(content::image(vec![1, 2, 3], "image/png"));
/// ```
pub fn user(content: impl Into<Block>) -> Message {
    Message {
        role: Role::User,
        content: content.into(),
    }
}

/// A message from the model.
pub fn assistant(content: impl Into<Block>) -> Message {
    Message {
        role: Role::Assistant,
        content: content.into(),
    }
}

impl From<String> for Block {
    fn from(text: String) -> Self {
        content::text(text)
    }
}

impl From<&str> for Block {
    fn from(text: &str) -> Self {
        content::text(text)
    }
}
