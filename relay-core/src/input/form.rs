use std::{fmt, sync::Arc};

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use super::{Question, subset};
use crate::{
    codec::{Decoder, DefinitionFault, DefinitionFaults, Faults, IntoCodec},
    schema::Node,
};

/// A form that clients can put to their users: named fields, each a text, a number, a yes or no, a
/// choice or a selection (ELIC-02).
///
/// Built once, by [`elicit::form`](super::elicit::form), and asked as often as wanted. Cheap to
/// clone.
pub struct Form<T>(Arc<Parts<T>>);

struct Parts<T> {
    decoder: Decoder<T>,
    /// `requestedSchema`, as JSON.
    schema: Box<RawValue>,
    fields: Vec<String>,
    faults: Vec<DefinitionFault>,
}

impl<T> Form<T> {
    pub(super) fn new(codec: impl IntoCodec<Value = T>) -> Self {
        let decoder = codec.into_codec().decoder().clone();
        let (schema, flaws) = subset::of(decoder.schema());
        let mut faults = decoder.about().faults.clone();
        faults.extend(flaws);
        let properties = schema.get("properties").and_then(Node::as_object);
        let fields = properties.map(|properties| properties.keys().cloned().collect());
        Self(Arc::new(Parts {
            // Text, numbers and truth values can always be written.
            schema: to_raw_value(&Node::Object(schema)).unwrap_or_default(),
            fields: fields.unwrap_or_default(),
            decoder,
            faults,
        }))
    }

    /// The form as a question: `key` names it among all that the handler asks, and `message` tells
    /// the user what it is about.
    pub fn question(&self, key: impl Into<String>, message: impl Into<String>) -> Question<T> {
        Question::of_form(key.into(), message.into(), self.clone())
    }

    /// Whether the form can be asked at all.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it: what the codec's definition has, what does not fit a form,
    /// and fields that look like secrets (ELIC-03).
    pub fn check(&self) -> Result<(), DefinitionFaults> {
        DefinitionFaults::check(&self.0.faults, ())
    }

    pub(super) fn schema(&self) -> &RawValue {
        &self.0.schema
    }

    /// Reads what the user filled in. What the form did not ask for does not count.
    pub(super) fn read(&self, mut content: Map<String, Value>) -> Result<T, Faults> {
        content.retain(|name, _| self.0.fields.contains(name));
        self.0.decoder.decode(Value::Object(content))
    }
}

impl<T> Clone for Form<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Form<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form")
            .field("schema", &self.0.schema)
            .field("faults", &self.0.faults)
            .finish_non_exhaustive()
    }
}
