use std::{fmt, ops::Deref, str::FromStr, sync::Arc};

use crate::{Call, Error, uri_template::Variables};

/// One read of a resource: the [`Call`], and what the URI says.
///
/// Cheap to clone.
pub struct Read<C> {
    call: Call<C>,
    target: Arc<Target>,
}

/// What is read.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) uri: String,
    pub(crate) variables: Variables,
}

impl<C> Read<C> {
    pub(super) fn new(call: Call<C>, target: Arc<Target>) -> Self {
        Self { call, target }
    }

    /// The URI as the client sent it.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.target.uri
    }

    /// The value of one of the template's variables, percent-decoded once; `None` where the URI
    /// leaves it out, and for a name that the template does not have.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.target.variables.get(name)
    }

    /// The values of all the template's variables; those of an exploded one (`{/path*}`) are
    /// [together](Variables::all).
    ///
    /// ```
    /// use relay_core::{Read, resource};
    ///
    /// let file = resource::template("file://{/path*}", "file").handle(|read: Read<()>| async move {
    ///     let steps = read.variables().all("path").len();
    ///     Ok(vec![resource::text(format!("{steps} steps from the root"))])
    /// });
    /// ```
    #[must_use]
    pub fn variables(&self) -> &Variables {
        &self.target.variables
    }

    /// The value of one of the template's variables as a `T`.
    ///
    /// # Errors
    ///
    /// [`Error::not_found`] where the URI leaves the variable out or its value is no `T`: there is
    /// no such resource.
    pub fn parse<T: FromStr>(&self, name: &str) -> Result<T, Error> {
        self.variable(name)
            .and_then(|value| value.parse().ok())
            .ok_or_else(Error::not_found)
    }
}

impl<C> Deref for Read<C> {
    type Target = Call<C>;

    fn deref(&self) -> &Call<C> {
        &self.call
    }
}

impl<C> Clone for Read<C> {
    fn clone(&self) -> Self {
        Self {
            call: self.call.clone(),
            target: Arc::clone(&self.target),
        }
    }
}

impl<C> fmt::Debug for Read<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read")
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}
