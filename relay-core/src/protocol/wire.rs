//! Values as one revision's wire shows them: each revision gets the members it knows, no others
//! (LF-01).

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};

use super::{
    capability::Implementation,
    revision::{Facts, StructuredContent},
    wrap::wrapped,
};
use crate::{
    content::{Annotations, Block, Icon, Kind},
    prompt::{self, ArgumentDeclaration, Message},
    resource::{self, Body, Contents, Entry},
    schema::Schema,
    tool,
};

/// What differs between the wires of two revisions.
pub(crate) trait OnWire {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error>;
}

/// A value, on the wire of the revision with these facts.
pub(crate) struct On<'a, T: ?Sized>(pub(crate) &'a T, pub(crate) &'static Facts);

impl<T: OnWire + ?Sized> Serialize for On<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_on(self.1, serializer)
    }
}

/// Contents under the URI and the MIME type that they have where they give none of their own.
pub(crate) struct Located<'a> {
    pub(crate) contents: &'a Contents,
    pub(crate) uri: &'a str,
    pub(crate) mime_type: Option<&'a str>,
}

/// What a listed resource's own entry leaves to its template.
pub(crate) struct Listed<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) template: &'a resource::Declaration,
}

impl<T: OnWire> OnWire for [T] {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|item| On(item, facts)))
    }
}

impl OnWire for Block {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let block = self;
        let mut map = serializer.serialize_map(None)?;
        match &block.kind {
            Kind::Text { text } => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Kind::Image { data, mime_type } => media(&mut map, "image", data, mime_type)?,
            Kind::Audio { data, mime_type } => media(&mut map, "audio", data, mime_type)?,
            Kind::Link {
                uri,
                name,
                description,
                mime_type,
            } if facts.resource_links => {
                map.serialize_entry("type", "resource_link")?;
                map.serialize_entry("uri", uri)?;
                map.serialize_entry("name", name)?;
                optional(&mut map, "description", description.as_ref())?;
                optional(&mut map, "mimeType", mime_type.as_ref())?;
            }
            Kind::Link { uri, name, .. } => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", &format!("{name}: {uri}"))?;
            }
            Kind::Resource { uri, contents } => {
                map.serialize_entry("type", "resource")?;
                let located = Located {
                    contents,
                    uri,
                    mime_type: None,
                };
                map.serialize_entry("resource", &On(&located, facts))?;
            }
        }
        annotations(&mut map, block.annotations.as_ref(), facts)?;
        meta(&mut map, &block.meta, facts)?;
        map.end()
    }
}

fn media<M: SerializeMap>(
    map: &mut M,
    kind: &str,
    data: &str,
    mime_type: &str,
) -> Result<(), M::Error> {
    map.serialize_entry("type", kind)?;
    map.serialize_entry("data", data)?;
    map.serialize_entry("mimeType", mime_type)
}

impl OnWire for Located<'_> {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let Self {
            contents,
            uri,
            mime_type,
        } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("uri", contents.uri.as_deref().unwrap_or(uri))?;
        optional(
            &mut map,
            "mimeType",
            contents.mime_type.as_deref().or(*mime_type),
        )?;
        match &contents.body {
            Body::Text(text) => map.serialize_entry("text", text)?,
            Body::Blob(data) => map.serialize_entry("blob", data)?,
        }
        meta(&mut map, &contents.meta, facts)?;
        map.end()
    }
}

impl OnWire for Annotations {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if facts.last_modified {
            self.serialize(serializer)
        } else {
            self.clone().undated().serialize(serializer)
        }
    }
}

impl OnWire for Message {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("role", &self.role)?;
        map.serialize_entry("content", &On(&self.content, facts))?;
        map.end()
    }
}

impl OnWire for tool::Declaration {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let tool = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &*tool.name)?;
        if facts.titles {
            optional(&mut map, "title", tool.title.as_ref())?;
        }
        optional(&mut map, "description", tool.description.as_ref())?;
        map.serialize_entry("inputSchema", &tool.input_schema)?;
        if let Some(schema) = &tool.output_schema {
            output_schema(&mut map, schema, facts.structured_content)?;
        }
        let annotations = hints(tool, facts);
        if !annotations.is_empty() {
            map.serialize_entry("annotations", &annotations)?;
        }
        icons(&mut map, &tool.icons, facts)?;
        meta(&mut map, &tool.meta, facts)?;
        map.end()
    }
}

/// A schema whose root is no object is wrapped where the revision has object roots only, as the
/// structured content is.
fn output_schema<M: SerializeMap>(
    map: &mut M,
    schema: &Schema,
    known: StructuredContent,
) -> Result<(), M::Error> {
    match known {
        StructuredContent::None => Ok(()),
        StructuredContent::ObjectOnly => match wrapped(schema) {
            Some(wrapped) => map.serialize_entry("outputSchema", &wrapped),
            None => map.serialize_entry("outputSchema", schema),
        },
        StructuredContent::Any => map.serialize_entry("outputSchema", schema),
    }
}

fn hints(tool: &tool::Declaration, facts: &Facts) -> Map<String, Value> {
    let title = tool
        .title
        .as_ref()
        .filter(|_| !facts.titles)
        .map(|title| ("title", json!(title)));
    let hint = |name, hint: Option<bool>| hint.map(|hint| (name, json!(hint)));
    [
        title,
        hint("readOnlyHint", tool.hints.read_only),
        hint("destructiveHint", tool.hints.destructive),
        hint("idempotentHint", tool.hints.idempotent),
        hint("openWorldHint", tool.hints.open_world),
    ]
    .into_iter()
    .flatten()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

impl OnWire for prompt::Declaration {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let prompt = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &*prompt.name)?;
        if facts.titles {
            optional(&mut map, "title", prompt.title.as_ref())?;
        }
        optional(&mut map, "description", prompt.description.as_ref())?;
        if !prompt.arguments.is_empty() {
            map.serialize_entry("arguments", &On(prompt.arguments.as_slice(), facts))?;
        }
        icons(&mut map, &prompt.icons, facts)?;
        meta(&mut map, &prompt.meta, facts)?;
        map.end()
    }
}

impl OnWire for ArgumentDeclaration {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let argument = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &argument.name)?;
        if facts.titles {
            optional(&mut map, "title", argument.title.as_ref())?;
        }
        optional(&mut map, "description", argument.description.as_ref())?;
        map.serialize_entry("required", &argument.required)?;
        map.end()
    }
}

/// A direct resource, or a template where its URI is one.
impl OnWire for resource::Declaration {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let resource = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(resource.uri_member(), &*resource.uri)?;
        map.serialize_entry("name", &resource.name)?;
        if facts.titles {
            optional(&mut map, "title", resource.title.as_ref())?;
        }
        optional(&mut map, "description", resource.description.as_ref())?;
        optional(&mut map, "mimeType", resource.mime_type.as_ref())?;
        optional(&mut map, "size", resource.size.as_ref())?;
        annotations(&mut map, resource.annotations.as_ref(), facts)?;
        icons(&mut map, &resource.icons, facts)?;
        meta(&mut map, &resource.meta, facts)?;
        map.end()
    }
}

impl OnWire for Listed<'_> {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let Self { entry, template } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("uri", &entry.uri)?;
        map.serialize_entry("name", &entry.name)?;
        if facts.titles {
            optional(&mut map, "title", entry.title.as_ref())?;
        }
        optional(&mut map, "description", entry.description.as_ref())?;
        let mime_type = entry.mime_type.as_ref().or(template.mime_type.as_ref());
        optional(&mut map, "mimeType", mime_type)?;
        optional(&mut map, "size", entry.size.as_ref())?;
        annotations(&mut map, entry.annotations.as_ref(), facts)?;
        icons(&mut map, &template.icons, facts)?;
        meta(&mut map, &entry.meta, facts)?;
        map.end()
    }
}

impl OnWire for Implementation {
    fn serialize_on<S: Serializer>(
        &self,
        facts: &'static Facts,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let info = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &info.name)?;
        map.serialize_entry("version", &info.version)?;
        if facts.titles {
            optional(&mut map, "title", info.title.as_ref())?;
        }
        if facts.icons {
            optional(&mut map, "description", info.description.as_ref())?;
            optional(&mut map, "websiteUrl", info.website_url.as_ref())?;
        }
        icons(&mut map, &info.icons, facts)?;
        map.end()
    }
}

fn optional<M: SerializeMap>(
    map: &mut M,
    key: &str,
    value: Option<&(impl Serialize + ?Sized)>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, value))
}

fn icons<M: SerializeMap>(map: &mut M, icons: &[Icon], facts: &Facts) -> Result<(), M::Error> {
    if icons.is_empty() || !facts.icons {
        Ok(())
    } else {
        map.serialize_entry("icons", icons)
    }
}

fn annotations<M: SerializeMap>(
    map: &mut M,
    annotations: Option<&Annotations>,
    facts: &'static Facts,
) -> Result<(), M::Error> {
    let annotations = annotations.map(|annotations| On(annotations, facts));
    optional(map, "annotations", annotations.as_ref())
}

fn meta<M: SerializeMap>(
    map: &mut M,
    meta: &Map<String, Value>,
    facts: &Facts,
) -> Result<(), M::Error> {
    if meta.is_empty() || !facts.item_meta {
        Ok(())
    } else {
        map.serialize_entry("_meta", meta)
    }
}
