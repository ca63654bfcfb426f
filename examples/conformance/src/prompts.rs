use relay_http::relay_core::{Call, Prompt, content, prompt, resource};

use crate::media::PNG;

pub(crate) fn all() -> Vec<Prompt<()>> {
    vec![
        prompt::define("test_simple_prompt", ())
            .with_description("A prompt without arguments")
            .handle(|()| async { Ok(vec![prompt::user("This is a simple prompt for testing.")]) }),
        prompt::define(
            "test_prompt_with_arguments",
            (prompt::required("arg1"), prompt::required("arg2")),
        )
        .with_description("A prompt with two arguments")
        .complete("arg1", |_call: Call<()>, typed: String| async move {
            let values = ["test", "testing", "tested"].into_iter();
            Ok(values
                .filter(|value| value.starts_with(&typed))
                .collect::<Vec<_>>())
        })
        .handle(|(first, second): (String, String)| async move {
            Ok(vec![prompt::user(format!(
                "Prompt with arguments: arg1='{first}', arg2='{second}'"
            ))])
        }),
        prompt::define(
            "test_prompt_with_embedded_resource",
            prompt::required("resourceUri"),
        )
        .with_description("A prompt with a resource in it")
        .handle(|uri: String| async move {
            let embedded = resource::text("Embedded resource content for testing.")
                .with_mime_type("text/plain");
            Ok(vec![
                prompt::user(content::resource(uri, embedded)),
                prompt::user("Please process the embedded resource above."),
            ])
        }),
        prompt::define("test_prompt_with_image", ())
            .with_description("A prompt with an image in it")
            .handle(|()| async {
                Ok(vec![
                    prompt::user(content::image(PNG, "image/png")),
                    prompt::user("Please analyze the image above."),
                ])
            }),
    ]
}
