//! Mistakes in the definition of a codec.

use std::borrow::Cow;
use std::fmt;

use super::fault::escaped;

/// One mistake in the definition of a codec, such as an empty range: a codec carries it until a
/// tool is defined with it, so that all of them are reported at once.
///
/// ```
/// use relay_core::codec::{self, IntoDecoder};
///
/// let faults = codec::object((
///     codec::field("week", codec::integer::<i64>().range(52..=1)),
///     codec::field("week", codec::string()),
/// ))
/// .into_decoder()
/// .unwrap_err();
/// assert_eq!(
///     faults.to_string(),
///     "/week: the range from 52 to 1 is empty\n\
///      the field `week` is there twice",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFault {
    pointer: String,
    problem: Cow<'static, str>,
}

impl DefinitionFault {
    pub(crate) fn new(problem: impl Into<Cow<'static, str>>) -> Self {
        Self {
            pointer: String::new(),
            problem: problem.into(),
        }
    }

    /// Where in the value the faulty codec stands: a JSON pointer, with `*` for any item or key.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The same mistake, seen from a codec that has the faulty one at `step`.
    pub(crate) fn under(&self, step: &str) -> Self {
        Self {
            pointer: format!("/{}{}", escaped(step), self.pointer),
            problem: self.problem.clone(),
        }
    }
}

impl fmt::Display for DefinitionFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => formatter.write_str(&self.problem),
            pointer => write!(formatter, "{pointer}: {}", self.problem),
        }
    }
}

/// Every mistake in the definition of a codec, one line each; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFaults(Vec<DefinitionFault>);

impl DefinitionFaults {
    /// `Err` where there is any fault.
    pub(crate) fn check<T>(faults: &[DefinitionFault], sound: T) -> Result<T, Self> {
        if faults.is_empty() {
            return Ok(sound);
        }
        let mut once: Vec<DefinitionFault> = Vec::with_capacity(faults.len());
        for fault in faults {
            if !once.contains(fault) {
                once.push(fault.clone());
            }
        }
        Err(Self(once))
    }

    /// The faults, in the order of the definition.
    pub fn iter(&self) -> std::slice::Iter<'_, DefinitionFault> {
        self.0.iter()
    }
}

impl IntoIterator for DefinitionFaults {
    type Item = DefinitionFault;
    type IntoIter = std::vec::IntoIter<DefinitionFault>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a DefinitionFaults {
    type Item = &'a DefinitionFault;
    type IntoIter = std::slice::Iter<'a, DefinitionFault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for DefinitionFaults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            write!(formatter, "{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for DefinitionFaults {}
