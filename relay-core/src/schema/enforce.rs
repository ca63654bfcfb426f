//! A schema, enforced on values that Relay did not build itself.

use serde_json::Value;

#[cfg(feature = "validate")]
use super::Validator;
use super::{Preparation, Schema};
use crate::codec::{DefinitionFault, Location, Report};

/// Prepares a value and judges it.
#[derive(Debug)]
pub(crate) struct Enforced {
    preparation: Preparation,
    validator: Option<Validator>,
}

impl Enforced {
    /// A schema that cannot be enforced is a mistake of the definition.
    pub(crate) fn new(schema: &Schema) -> (Self, Vec<DefinitionFault>) {
        let preparation = Preparation::new(schema);
        let (validator, faults) = match Validator::compile(&schema.document()) {
            Ok(validator) => (Some(validator), Vec::new()),
            Err(error) => (None, vec![DefinitionFault::new(error.to_string())]),
        };
        let enforced = Self {
            preparation,
            validator,
        };
        (enforced, faults)
    }

    /// Prepares the value, and notes what it breaks.
    pub(crate) fn judge(
        &self,
        value: &mut Value,
        at: &Location<'_>,
        report: &mut Report,
    ) -> Option<()> {
        self.preparation.apply(value);
        let valid = self.validator.as_ref()?.judge(value, at, report);
        valid.then_some(())
    }
}

/// Leaves everything to the type's own serde code.
#[cfg(not(feature = "validate"))]
#[derive(Debug)]
struct Validator;

#[cfg(not(feature = "validate"))]
impl Validator {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "what takes its place can refuse a schema"
    )]
    fn compile(_document: &super::Node) -> Result<Self, std::convert::Infallible> {
        Ok(Self)
    }

    #[expect(clippy::unused_self, reason = "what takes its place looks into itself")]
    fn judge(&self, _value: &Value, _at: &Location<'_>, _report: &mut Report) -> bool {
        true
    }
}
