//! What is judged before a body is read: where a request was sent, from which page, and of what
//! type it is.

pub(crate) mod authority;
pub(crate) mod cors;
pub(crate) mod host;
pub(crate) mod media;
pub(crate) mod origin;
