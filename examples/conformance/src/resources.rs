use relay_http::relay_core::{Read, Resource, resource};
use serde_json::json;

use crate::media::PNG;

pub(crate) fn all() -> Vec<Resource<()>> {
    vec![
        resource::direct("test://static-text", "static-text")
            .with_description("A text that stays the same")
            .with_mime_type("text/plain")
            .handle(|_: Read<()>| async {
                Ok(vec![resource::text(
                    "This is the content of the static text resource.",
                )])
            }),
        resource::direct("test://static-binary", "static-binary")
            .with_description("An image that stays the same")
            .with_mime_type("image/png")
            .handle(|_: Read<()>| async { Ok(vec![resource::blob(PNG)]) }),
        resource::direct("test://watched-resource", "watched-resource")
            .with_description("A text to watch")
            .with_mime_type("text/plain")
            .handle(|_: Read<()>| async { Ok(vec![resource::text("Watched.")]) }),
        resource::template("test://template/{id}/data", "template")
            .with_description("The data of an id")
            .with_mime_type("application/json")
            .handle(|read: Read<()>| async move {
                let id: String = read.parse("id")?;
                let data = format!("Data for ID: {id}");
                let data = json!({ "id": id, "templateTest": true, "data": data });
                Ok(vec![resource::text(data.to_string())])
            }),
    ]
}
