//! The tools, declared with rmcp's macros.

use std::sync::Arc;

use bench_shared::{Booking, FILLER, Query, STEPS, TOOLS, Text, Ticket, fillers};
use rmcp::{
    ErrorData, Json, RoleServer, ServerHandler,
    handler::server::{
        router::tool::ToolRoute,
        tool::{ToolRouter, schema_for_type},
        wrapper::Parameters,
    },
    model::{CallToolResult, ContentBlock, ProgressNotificationParam, Tool},
    service::RequestContext,
    tool, tool_handler, tool_router,
};

/// With its router made once and shared.
#[derive(Clone)]
pub(crate) struct Kept(Arc<ToolRouter<Self>>);

/// With its router made by each call, as the macro does when it is told nothing else.
#[derive(Clone)]
pub(crate) struct Rebuilt;

macro_rules! tools {
    ($server:ty) => {
        #[tool_router(router = working)]
        impl $server {
            #[tool(description = "Gives the text back")]
            async fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
                text
            }

            #[tool(description = "Books a journey")]
            async fn book(&self, Parameters(booking): Parameters<Booking>) -> Json<Ticket> {
                Json(bench_shared::book(booking))
            }

            #[tool(description = "Books a journey")]
            async fn book_built(&self, Parameters(booking): Parameters<Booking>) -> Json<Ticket> {
                Json(bench_shared::book(booking))
            }

            #[tool(description = "Reports its progress")]
            async fn count(
                &self,
                context: RequestContext<RoleServer>,
            ) -> Result<String, ErrorData> {
                let token = context.meta.get_progress_token();
                let token = token.ok_or_else(|| ErrorData::invalid_params("no token", None))?;
                for step in 1..=STEPS {
                    let progress = ProgressNotificationParam::new(token.clone(), step.into());
                    let sent = context
                        .peer
                        .notify_progress(progress.with_total(STEPS.into()));
                    sent.await
                        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                }
                Ok("counted".to_owned())
            }

            fn tool_router_of(tools: usize) -> ToolRouter<Self> {
                let mut router = Self::working();
                for name in fillers(tools) {
                    let tool = Tool::new(name, FILLER, schema_for_type::<Query>());
                    router.add_route(ToolRoute::new_dyn(tool, |_context| {
                        Box::pin(async {
                            let found = ContentBlock::text("found");
                            Ok(CallToolResult::success(vec![found]).into())
                        })
                    }));
                }
                router
            }
        }
    };
}

tools!(Kept);
tools!(Rebuilt);

impl Kept {
    pub(crate) fn new(tools: usize) -> Self {
        Self(Arc::new(Self::tool_router_of(tools)))
    }
}

impl Rebuilt {
    fn tool_router() -> ToolRouter<Self> {
        Self::tool_router_of(TOOLS)
    }
}

#[tool_handler(router = self.0)]
impl ServerHandler for Kept {}

#[tool_handler]
impl ServerHandler for Rebuilt {}
