//! What is known of either half of a codec, besides what it does.

use std::borrow::Cow;
use std::sync::Arc;

use super::annotation;
use super::check;
use super::definition::DefinitionFault;
use crate::schema::{MirroredHeader, Node, Schema};

/// What a half of a codec says of itself.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) schema: Schema,
    /// Completes "expected ..": what to say where a value is missing.
    pub(crate) expectation: Cow<'static, str>,
    pub(crate) admits_null: bool,
    pub(crate) faults: Vec<DefinitionFault>,
    /// The author's own rules, which the description repeats.
    rules: Vec<Arc<str>>,
    /// Set where this is the input of a tool.
    pub(crate) mirrored: Vec<MirroredHeader>,
    /// Set where this is the input of a tool.
    pub(crate) warnings: Vec<String>,
}

impl About {
    pub(crate) fn new(
        schema: Schema,
        expectation: impl Into<Cow<'static, str>>,
        faults: Vec<DefinitionFault>,
    ) -> Self {
        Self {
            schema,
            expectation: expectation.into(),
            admits_null: false,
            faults,
            rules: Vec::new(),
            mirrored: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The same, of a value that may be `null`.
    pub(crate) fn with_null(mut self, admits: bool) -> Self {
        self.admits_null = admits;
        self
    }

    /// Sets the description, which still ends with the author's own rules.
    pub(crate) fn describe(&mut self, description: &str) {
        let mut text = description.to_owned();
        for rule in &self.rules {
            append(&mut text, rule);
        }
        self.annotate("description", &text);
    }

    /// Adds a rule of the author's own, and says so in the description.
    pub(crate) fn rule(&mut self, rule: &Arc<str>) {
        let description = self.schema.root().get("description").and_then(Node::as_str);
        let mut text = description.unwrap_or_default().to_owned();
        append(&mut text, rule);
        self.annotate("description", &text);
        self.rules.push(Arc::clone(rule));
    }

    /// Sets a keyword that is only words, and belongs where a model reads it first.
    pub(crate) fn annotate(&mut self, keyword: &str, text: &str) {
        self.schema = self
            .schema
            .edited(|members| annotation::place(members, keyword, text));
    }
}

/// Adds a rule to a description as a sentence.
fn append(description: &mut String, rule: &str) {
    if !description.is_empty() {
        if !description.ends_with(['.', '!', '?']) {
            description.push('.');
        }
        description.push(' ');
    }
    description.push_str("Must be ");
    description.push_str(&check::expectation(rule));
    description.push('.');
}
