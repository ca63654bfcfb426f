//! The flat subset of JSON Schema that a client can draw as a form (ELIC-02).

use crate::{
    codec::DefinitionFault,
    schema::{Members, Node, Schema, is_secret},
};

/// What any field may say of itself, in the order it is published.
const ANNOTATIONS: [&str; 3] = ["title", "description", "default"];
/// The formats of a text that clients know.
const FORMATS: [&str; 4] = ["date", "date-time", "email", "uri"];

/// Why something can't be asked in a form.
type Problem = String;

/// The schema of a form as it is sent, and everything that keeps it from being one.
pub(super) fn of(schema: &Schema) -> (Members, Vec<DefinitionFault>) {
    let mut faults = Vec::new();
    let root = schema.root();
    if root.get("type").and_then(Node::as_str) != Some("object") {
        faults.push(DefinitionFault::new(
            "a form is an object: use `codec::object`, or a type that is a struct with named fields",
        ));
        return (Members::new(), faults);
    }
    let known = [
        "$schema",
        "additionalProperties",
        "description",
        "properties",
        "required",
        "title",
        "type",
    ];
    for keyword in root.keys().filter(|keyword| !known.contains(&&***keyword)) {
        faults.push(DefinitionFault::new(format!(
            "a form can't say `{keyword}`: it has named fields, and nothing else"
        )));
    }
    if root
        .get("additionalProperties")
        .is_some_and(|more| !matches!(more, Node::Bool(_)))
    {
        faults.push(DefinitionFault::new(
            "a form has named fields only, no dictionary",
        ));
    }
    let mut properties = Members::new();
    let declared = root.get("properties").and_then(Node::as_object);
    for (name, declared) in declared.into_iter().flatten() {
        if is_secret(name) {
            let fault = "this looks like a secret, which a form must not ask for: send the user to \
                         a page of your own with `elicit::url`";
            faults.push(DefinitionFault::new(fault).under(name));
        }
        match field(declared) {
            Ok(field) => {
                properties.insert(name.clone(), Node::Object(field));
            }
            Err(problem) => faults.push(DefinitionFault::new(problem).under(name)),
        }
    }
    let mut form = Members::new();
    form.insert("type".to_owned(), Node::from("object"));
    form.insert("properties".to_owned(), Node::Object(properties));
    if let Some(required) = root.get("required") {
        form.insert("required".to_owned(), required.clone());
    }
    (form, faults)
}

fn field(declared: &Node) -> Result<Members, Problem> {
    let declared = declared
        .as_object()
        .ok_or("a field of a form has a type, such as `codec::string()`")?;
    links(declared)?;
    let kind = declared.get("type").and_then(Node::as_str);
    if let (None | Some("string"), Some(options)) = (kind, options(declared)?) {
        return only(declared, &["type", "enum", "oneOf", "const"], "string", &[])
            .map(|field| options.into_field(field));
    }
    match kind {
        Some("string") => {
            let format = declared.get("format").and_then(Node::as_str);
            if let Some(format) = format.filter(|format| !FORMATS.contains(format)) {
                return Err(format!(
                    "a form knows the formats {}, not `{format}`",
                    FORMATS.join(", ")
                ));
            }
            let kept = ["minLength", "maxLength", "format"];
            only(declared, &["type"], "string", &kept)
        }
        Some(kind @ ("integer" | "number")) => {
            only(declared, &["type", "format"], kind, &["minimum", "maximum"])
        }
        Some(kind @ "boolean") => only(declared, &["type"], kind, &[]),
        Some("array") => selection(declared),
        Some("object") => Err("a form is flat: give the object's fields to the form itself".into()),
        _ => Err(
            "a field of a form is a text, a number, a yes or no, a choice or a selection".into(),
        ),
    }
}

/// Several of a set of choices.
fn selection(declared: &Members) -> Result<Members, Problem> {
    let items = declared.get("items").and_then(Node::as_object);
    let chosen = match items {
        Some(items) => options(items)?,
        None => None,
    };
    let Some(chosen) = chosen else {
        return Err("a list in a form is a selection: its items are a choice of texts".into());
    };
    // Nobody can select one choice twice.
    let known = ["type", "items", "uniqueItems"];
    let mut field = only(declared, &known, "array", &["minItems", "maxItems"])?;
    field.insert("items".to_owned(), Node::Object(chosen.into_items()));
    Ok(field)
}

/// The field of this type with the keywords that are kept, where there are no others than those
/// and the known ones.
fn only(declared: &Members, known: &[&str], kind: &str, kept: &[&str]) -> Result<Members, Problem> {
    let mut field = Members::new();
    field.insert("type".to_owned(), Node::from(kind));
    for keyword in ANNOTATIONS.iter().chain(kept) {
        if let Some(value) = declared.get(*keyword) {
            field.insert((*keyword).to_owned(), value.clone());
        }
    }
    let stranger = declared
        .keys()
        .find(|keyword| !known.contains(&&***keyword) && !field.contains_key(*keyword));
    match stranger {
        Some(keyword) => Err(format!(
            "a form can't say `{keyword}`; a rule of your own, with `check`, is told in words"
        )),
        None => Ok(field),
    }
}

/// The texts to choose from, each with what the user is shown for it.
struct Options(Vec<(String, Option<String>)>);

impl Options {
    fn into_field(self, mut field: Members) -> Members {
        let (keyword, options) = self.into_keyword("oneOf");
        field.insert(keyword.to_owned(), options);
        field
    }

    fn into_items(self) -> Members {
        let mut items = Members::new();
        let (keyword, options) = self.into_keyword("anyOf");
        if keyword == "enum" {
            items.insert("type".to_owned(), Node::from("string"));
        }
        items.insert(keyword.to_owned(), options);
        items
    }

    /// Plain where no option is shown as anything else, under `titled` otherwise.
    fn into_keyword(self, titled: &'static str) -> (&'static str, Node) {
        if self.0.iter().all(|(_, title)| title.is_none()) {
            let values = self.0.into_iter().map(|(value, _)| Node::from(value));
            return ("enum", Node::Array(values.collect()));
        }
        let options = self.0.into_iter().map(|(value, title)| {
            let title = title.unwrap_or_else(|| value.clone());
            Node::object([("const", Node::from(value)), ("title", Node::from(title))])
        });
        (titled, Node::Array(options.collect()))
    }
}

/// What there is to choose from, if it is a choice of texts.
fn options(declared: &Members) -> Result<Option<Options>, Problem> {
    let text = |value: &Node| {
        let text = value.as_str().map(str::to_owned);
        text.ok_or_else(|| "the choices of a form are texts".to_owned())
    };
    if let Some(values) = declared.get("enum").and_then(Node::as_array) {
        let plain = values.iter().map(|value| Ok((text(value)?, None)));
        return plain.collect::<Result<_, Problem>>().map(Options).map(Some);
    }
    if let Some(value) = declared.get("const") {
        return Ok(Some(Options(vec![(text(value)?, None)])));
    }
    let branches = ["oneOf", "anyOf"]
        .into_iter()
        .find_map(|keyword| declared.get(keyword)?.as_array());
    let Some(branches) = branches else {
        return Ok(None);
    };
    let mut options = Vec::new();
    for branch in branches {
        let branch = branch.as_object().ok_or("a choice of a form is a text")?;
        links(branch)?;
        let known = ["type", "const", "enum", "title", "description"];
        if branch.keys().any(|keyword| !known.contains(&&**keyword)) {
            return Err("the choices of a form are texts".into());
        }
        let title = ["title", "description"]
            .into_iter()
            .find_map(|keyword| branch.get(keyword)?.as_str())
            .map(str::to_owned);
        // What has no words of its own is grouped: `enum` beside `const`.
        let Some(Options(plain)) = self::options(branch)? else {
            return Err("the choices of a form are texts".into());
        };
        options.extend(plain.into_iter().map(|(value, _)| (value, title.clone())));
    }
    Ok(Some(Options(options)))
}

/// No text of a form has a link in it (ELIC-07).
fn links(declared: &Members) -> Result<(), Problem> {
    let shown = ANNOTATIONS
        .iter()
        .filter_map(|keyword| declared.get(*keyword)?.as_str());
    match shown.into_iter().find(|text| text.contains("://")) {
        Some(text) => Err(format!(
            "a form has no links in it, and this has one: {text:?}; use `elicit::url`"
        )),
        None => Ok(()),
    }
}
