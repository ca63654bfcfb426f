//! Whose notes a connection sees, and what it may do with them.

use std::fmt::{self, Display};
use std::str::FromStr;

use relay_core::tool;

use crate::store::{Notebook, Store};

/// Whoever a connection serves: the context of every handler.
#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    pub(crate) notebook: Notebook,
    pub(crate) role: Role,
}

impl Tenant {
    /// The tenant of that name; the one named `reader` is a reader unless `role` says otherwise.
    pub(crate) fn new(store: &Store, name: &TenantName, role: Option<Role>) -> Self {
        let TenantName(name) = name;
        let usual = if name == "reader" {
            Role::Reader
        } else {
            Role::Editor
        };
        Self {
            notebook: store.notebook(name),
            role: role.unwrap_or(usual),
        }
    }
}

/// What a tenant may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Role {
    /// Everything.
    Editor,
    /// Look at notes, not change them.
    Reader,
}

impl Role {
    /// A reader may use the tools that say they change nothing. One that says nothing is not among
    /// them.
    pub(crate) fn may_use(self, tool: &tool::Declaration) -> bool {
        match self {
            Self::Editor => true,
            Self::Reader => tool.is_read_only() == Some(true),
        }
    }
}

/// A name of letters, digits, `-` and `_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TenantName(String);

impl Display for TenantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for TenantName {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if (1..=64).contains(&text.len()) && text.chars().all(fits) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadName)
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a tenant's name is 1 to 64 letters, digits, `-` and `_`")]
pub(crate) struct BadName;

#[cfg(test)]
mod tests {
    use super::{Role, Tenant, TenantName};
    use crate::store::Store;

    #[test]
    fn the_name_gives_the_usual_role() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("notes.db")).unwrap();
        let role = |name: &str, role| Tenant::new(&store, &name.parse().unwrap(), role).role;
        assert_eq!(role("editor", None), Role::Editor);
        assert_eq!(role("reader", None), Role::Reader);
        assert_eq!(role("reader", Some(Role::Editor)), Role::Editor);
        assert_eq!(role("ann", Some(Role::Reader)), Role::Reader);
    }

    #[test]
    fn a_name_is_plain() {
        for name in ["", "a b", "a/b", "é", "\0", &"a".repeat(65)] {
            assert!(name.parse::<TenantName>().is_err(), "{name:?}");
        }
    }
}
