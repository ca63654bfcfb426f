"""Drives a server with the official Python client, version 1: reads what to do as JSON from standard input, prints what the client saw."""

import json
import sys
from datetime import timedelta
from functools import partial

import anyio
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

LISTS = {
    "tools": ("list_tools", "tools"),
    "resources": ("list_resources", "resources"),
    "templates": ("list_resource_templates", "resourceTemplates"),
    "prompts": ("list_prompts", "prompts"),
}
REFERENCES = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def list_all(session, step):
    method, member = LISTS[step["list"]]
    items, cursor = [], step.get("cursor")
    while True:
        page = await getattr(session, method)(params=types.PaginatedRequestParams(cursor=cursor))
        items += [plain(item) for item in getattr(page, member)]
        cursor = page.nextCursor
        if cursor is None:
            return {"items": items}


async def call(session, step):
    if not step.get("progress") and not step.get("cancel"):
        return {"result": plain(await session.call_tool(step["call"], step.get("arguments")))}
    progress = []
    # This client sends no cancellation of its own, and the next id it will use is the request's.
    request_id = session._request_id
    with anyio.CancelScope() as scope:

        async def on_progress(value, total, message):
            progress.append({"progress": value, "total": total, "message": message})
            if step.get("cancel") and len(progress) == 1:
                params = types.CancelledNotificationParams(requestId=request_id, reason="enough")
                await session.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))
                scope.cancel()

        result = await session.call_tool(step["call"], step.get("arguments"), progress_callback=on_progress)
        return {"result": plain(result), "progress": progress}
    return {"cancelled": True, "progress": progress}


async def perform(session, step):
    if "list" in step:
        return await list_all(session, step)
    if "call" in step:
        return await call(session, step)
    if "read" in step:
        return {"result": plain(await session.read_resource(step["read"]))}
    if "prompt" in step:
        return {"result": plain(await session.get_prompt(step["prompt"], step.get("arguments")))}
    if "complete" in step:
        reference = step["complete"]["ref"]
        reference = REFERENCES[reference["type"]].model_validate(reference)
        return {"result": plain(await session.complete(reference, step["complete"]["argument"]))}
    await session.send_ping()
    return {"alive": True}


async def attempt(session, step):
    try:
        return await perform(session, step)
    except McpError as error:
        return {"error": {"code": error.error.code, "message": error.error.message}}
    except Exception as error:
        return {"failure": f"{type(error).__name__}: {error}"}


def transport(server):
    if "url" in server:
        return streamable_http_client(server["url"])
    return stdio_client(StdioServerParameters(command=server["command"], args=server["arguments"]))


class User:
    """Keeps what the server asks, by method. It has no answer: this client speaks no revision in which Relay asks."""

    def begin(self):
        self.asked = {}

    def callbacks(self):
        return {
            "elicitation_callback": partial(self.refuse, "elicitation/create"),
            "sampling_callback": partial(self.refuse, "sampling/createMessage"),
            "list_roots_callback": partial(self.refuse, "roots/list"),
        }

    async def refuse(self, method, _context, params=None):
        self.asked.setdefault(method, []).append(plain(params) if params else {})
        return types.ErrorData(code=types.INVALID_REQUEST, message="unexpected")


async def attempt_all(session, user, steps):
    outcomes = {}
    for step in steps:
        user.begin()
        outcomes[step["name"]] = {**await attempt(session, step), "asked": user.asked}
    return outcomes


async def main():
    job, user = json.load(sys.stdin), User()
    callbacks = user.callbacks() if job["asked"] else {}
    async with transport(job["server"]) as (read, write, *_):
        async with ClientSession(read, write, read_timeout_seconds=timedelta(seconds=60), **callbacks) as session:
            opened = await session.initialize()
            steps = await attempt_all(session, user, job["steps"])
    connection = {
        "revision": opened.protocolVersion,
        "server": plain(opened.serverInfo),
        "capabilities": plain(opened.capabilities),
        "instructions": opened.instructions,
    }
    print(json.dumps({"connection": connection, "steps": steps}))


anyio.run(main)
