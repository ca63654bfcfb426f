use std::time::Duration;

use relay_http::relay_core::{
    Call, ClientCapabilities, Error, LogLevel, Progress, Tool, codec,
    content::{self, Block},
    resource, tool,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::media::{PNG, WAV};

/// Between two notifications, so that the suite can tell that they came one by one.
const STEP: Duration = Duration::from_millis(50);

pub(crate) fn all() -> Vec<Tool<()>> {
    vec![
        answers("test_simple_text", "Answers with a text", || {
            vec![content::text("This is a simple text response for testing.")]
        }),
        answers("test_image_content", "Answers with an image", || {
            vec![image()]
        }),
        answers("test_audio_content", "Answers with a sound", || {
            vec![content::audio(WAV, "audio/wav")]
        }),
        answers("test_embedded_resource", "Answers with a resource", || {
            vec![embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content.",
            )]
        }),
        answers(
            "test_multiple_content_types",
            "Answers with several",
            || {
                vec![
                    content::text("Multiple content types test:"),
                    image(),
                    embedded(
                        "test://mixed-content-resource",
                        "application/json",
                        r#"{"test":"data","value":123}"#,
                    ),
                ]
            },
        ),
        fails(),
        counts(),
        logs("test_logging_tool"),
        logs("test_tool_with_logging"),
        needs_sampling(),
        mirrors_a_header(),
        has_a_schema_by_hand(),
    ]
}

fn answers(name: &str, description: &str, blocks: fn() -> Vec<Block>) -> Tool<()> {
    tool::define(name, codec::object(()), tool::content())
        .with_description(description)
        .handle(move |()| async move { Ok(blocks()) })
}

fn image() -> Block {
    content::image(PNG, "image/png")
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> Block {
    content::resource(uri, resource::text(text).with_mime_type(mime_type))
}

fn fails() -> Tool<()> {
    tool::define("test_error_handling", codec::object(()), tool::content())
        .with_description("Fails")
        .handle(|()| async {
            Err::<Vec<Block>, _>(Error::new(
                "This tool intentionally returns an error for testing",
            ))
        })
}

fn counts() -> Tool<()> {
    tool::define(
        "test_tool_with_progress",
        codec::object(()),
        tool::content(),
    )
    .with_description("Reports progress")
    .handle_call(|call: Call<()>, ()| async move {
        for done in [0.0, 50.0, 100.0] {
            call.progress(Progress::new(done).with_total(100.0));
            sleep(STEP).await;
        }
        Ok(vec![content::text("Done.")])
    })
}

fn logs(name: &str) -> Tool<()> {
    tool::define(name, codec::object(()), tool::content())
        .with_description("Logs what it does")
        .handle_call(|call: Call<()>, ()| async move {
            for step in ["started", "processing", "completed"] {
                call.log(LogLevel::Info, format!("Tool execution {step}"))
                    .await;
                sleep(STEP).await;
            }
            Ok(vec![content::text("Logged.")])
        })
}

fn needs_sampling() -> Tool<()> {
    tool::define(
        "test_missing_capability",
        codec::object(()),
        tool::content(),
    )
    .with_description("Needs a client that can sample")
    .with_required_capabilities(ClientCapabilities::new().with_sampling())
    .handle(|()| async { Ok(vec![content::text("The client can sample.")]) })
}

fn mirrors_a_header() -> Tool<()> {
    let value = codec::string()
        .describe("What the header repeats")
        .mirror_header("Value");
    tool::define(
        "test_custom_header",
        codec::object(codec::optional("value", value)),
        tool::content(),
    )
    .with_description("Takes a value that a header repeats")
    .handle(|value: Option<String>| async move {
        let value = value.unwrap_or_default();
        Ok(vec![content::text(format!("Got {value}."))])
    })
}

fn has_a_schema_by_hand() -> Tool<()> {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    });
    tool::define(
        "json_schema_2020_12_tool",
        codec::schema(schema),
        tool::content(),
    )
    .with_description("Takes what a schema written by hand describes")
    .handle(|given: Value| async move { Ok(vec![content::text(given.to_string())]) })
}
