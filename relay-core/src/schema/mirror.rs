//! Arguments that are mirrored into HTTP headers.

use serde_json::{Map, Value};

use super::keyword::{Holds, holds};
use super::secret::is_secret;
use super::{Members, Node, Schema};
use crate::codec::escaped;

/// The keyword that asks for it.
pub(crate) const KEYWORD: &str = "x-mcp-header";

/// An argument that clients repeat in the header `Mcp-Param-{name}`, for proxies to route by.
///
/// ```
/// use relay_core::codec::{self, IntoDecoder};
/// use serde_json::json;
///
/// let decoder = codec::object((
///     codec::field("region", codec::string().mirror_header("Region")),
///     codec::field("query", codec::string()),
/// ))
/// .into_decoder()
/// .unwrap();
/// let [region] = decoder.mirrored() else { panic!("one header") };
/// assert_eq!(region.header(), "Region");
/// let arguments = json!({"region": "eu", "query": "tea"});
/// assert_eq!(region.value(arguments.as_object().unwrap()), Some(&json!("eu")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MirroredHeader {
    header: String,
    path: Vec<String>,
    integer: bool,
}

impl MirroredHeader {
    /// The name after `Mcp-Param-`, in the author's spelling.
    #[must_use]
    pub fn header(&self) -> &str {
        &self.header
    }

    /// The members that lead to the argument, from the root.
    #[must_use]
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The JSON pointer of the argument.
    pub(crate) fn pointer(&self) -> String {
        let steps = self.path.iter().map(|step| format!("/{}", escaped(step)));
        steps.collect()
    }

    /// Whether the argument is an integer, to be compared as a number (XMH-12).
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.integer
    }

    /// The argument, unless it is absent or `null` (XMH-10).
    #[must_use]
    pub fn value<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let (first, rest) = self.path.split_first()?;
        let mut value = arguments.get(first)?;
        for name in rest {
            value = value.get(name)?;
        }
        (!value.is_null()).then_some(value)
    }
}

/// What was found about the headers of one input.
#[derive(Debug, Default)]
pub(crate) struct Mirrors {
    pub(crate) headers: Vec<MirroredHeader>,
    /// Sentences that refuse the definition.
    pub(crate) problems: Vec<String>,
    /// Sentences that only warn.
    pub(crate) warnings: Vec<String>,
}

impl Mirrors {
    /// Looks for the headers of an input, and judges them (XMH-01 to XMH-06).
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut mirrors = Self::default();
        mirrors.visit(&schema.0.root, Some(&mut Vec::new()));
        for definition in schema.0.definitions.values().filter_map(Node::as_object) {
            mirrors.visit(definition, None);
        }
        mirrors
    }

    /// Visits a schema: `path` leads to it through `properties` alone, if anything does.
    fn visit(&mut self, schema: &Members, mut path: Option<&mut Vec<String>>) {
        if let Some(header) = schema.get(KEYWORD) {
            self.found(schema, header, path.as_deref().map(Vec::as_slice));
        }
        for (keyword, held) in schema {
            let properties = keyword == "properties";
            match (holds(keyword, held), held) {
                (Holds::Schema, Node::Object(inside)) => self.visit(inside, None),
                (Holds::List, Node::Array(schemas)) => {
                    for inside in schemas.iter().filter_map(Node::as_object) {
                        self.visit(inside, None);
                    }
                }
                (Holds::Map, Node::Object(schemas)) => {
                    for (name, inside) in schemas {
                        let Some(inside) = inside.as_object() else {
                            continue;
                        };
                        match path.as_deref_mut().filter(|_| properties) {
                            Some(path) => {
                                path.push(name.clone());
                                self.visit(inside, Some(path));
                                path.pop();
                            }
                            None => self.visit(inside, None),
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn found(&mut self, schema: &Members, header: &Node, path: Option<&[String]>) {
        let Some(header) = header.as_str().filter(|header| is_token(header)) else {
            self.problems.push(format!(
                "a mirrored header is a name of letters, digits and !#$%&'*+-.^_`|~, not {}",
                header.to_value()
            ));
            return;
        };
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            self.problems.push(format!(
                "the header `{header}` mirrors a value that is not a member of the input, nor of \
                 an object in it"
            ));
            return;
        };
        let kind = schema.get("type").and_then(Node::as_str);
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            self.problems.push(format!(
                "the header `{header}` mirrors a value that is not always a string, an integer or a boolean"
            ));
            return;
        }
        let same = |known: &&MirroredHeader| known.header.eq_ignore_ascii_case(header);
        if let Some(known) = self.headers.iter().find(same) {
            let (known, path) = (known.path.join("/"), path.join("/"));
            self.problems.push(format!(
                "the header `{header}` mirrors both `{known}` and `{path}`"
            ));
            return;
        }
        if let Some(name) = path
            .last()
            .filter(|name| is_secret(name) || is_secret(header))
        {
            self.warnings.push(format!(
                "`{name}` looks like a secret, and is mirrored into the header `{header}`, which \
                 proxies may log"
            ));
        }
        self.headers.push(MirroredHeader {
            header: header.to_owned(),
            path: path.to_vec(),
            integer: kind == Some("integer"),
        });
    }
}

/// Whether a text is a token of HTTP (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(token)
}

#[cfg(test)]
mod tests {
    use crate::codec::{
        IntoCodec, IntoDecoder, boolean, field, integer, list, nullable, number, object, optional,
        string,
    };

    fn problems(input: impl IntoDecoder) -> String {
        input.into_decoder().map(|_| ()).unwrap_err().to_string()
    }

    // XMH-05
    #[test]
    fn nested_members_are_reached_by_their_path() {
        let decoder = object((
            field("region", string().mirror_header("Region")),
            field(
                "page",
                object((
                    optional("number", integer::<u8>().mirror_header("Page")),
                    field("all", boolean().mirror_header("All")),
                )),
            ),
        ))
        .into_decoder()
        .unwrap();
        let found: Vec<_> = decoder
            .mirrored()
            .iter()
            .map(|mirrored| {
                (
                    mirrored.header(),
                    mirrored.path().join("/"),
                    mirrored.is_integer(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("Region", "region".to_owned(), false),
                ("Page", "page/number".to_owned(), true),
                ("All", "page/all".to_owned(), false),
            ]
        );
        let published = decoder.schema().to_value();
        assert_eq!(published["properties"]["region"]["x-mcp-header"], "Region");
    }

    // XMH-01
    #[test]
    fn a_header_is_a_token() {
        for header in ["", "two words", "new\nline", "colon:", "é"] {
            let faults = problems(object(field("a", string().mirror_header(header))));
            assert!(
                faults.contains("a mirrored header is a name of letters"),
                "{faults}"
            );
        }
    }

    // XMH-02
    #[test]
    fn a_header_mirrors_one_member() {
        let faults = problems(object((
            field("a", string().mirror_header("Region")),
            field("b", string().mirror_header("region")),
        )));
        assert_eq!(faults, "the header `region` mirrors both `a` and `b`");
    }

    // XMH-03
    #[test]
    fn only_strings_integers_and_booleans_are_mirrored() {
        let real = number().into_codec().mirror_header("A");
        assert!(problems(object(field("a", real))).contains("not always a string"));
        let null = nullable(string()).into_codec().mirror_header("A");
        assert!(problems(object(field("a", null))).contains("not always a string"));
        let group = object(()).into_codec().mirror_header("A");
        assert!(problems(object(field("a", group))).contains("not always a string"));
    }

    // XMH-04
    #[test]
    fn what_stands_in_a_list_is_not_mirrored() {
        let items = list(string().mirror_header("A"));
        assert!(problems(object(field("a", items))).contains("not a member of the input"));
        let root = object(()).into_codec().mirror_header("A");
        assert!(problems(root).contains("not a member of the input"));
    }

    // XMH-06
    #[test]
    fn a_secret_in_a_header_is_warned_of() {
        let input = object(field("api_key", string().mirror_header("Key")));
        let decoder = input.into_decoder().unwrap();
        assert_eq!(decoder.warnings().len(), 1);
        assert!(decoder.warnings()[0].contains("looks like a secret"));
    }

    #[test]
    fn what_is_written_is_not_mirrored() {
        let codec = object(field("a", string().mirror_header("A"))).into_codec();
        assert!(
            !codec
                .encoder()
                .schema()
                .to_string()
                .contains("x-mcp-header")
        );
    }
}
