"""Drives a server with the official Python client, version 2: reads what to do as JSON from standard input, prints what the client saw."""

import json
import sys
import warnings

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

MODES = {"modern": "2026-07-28", "automatic": "auto", "legacy": "legacy"}
LISTS = {
    "tools": ("list_tools", "tools"),
    "resources": ("list_resources", "resources"),
    "templates": ("list_resource_templates", "resource_templates"),
    "prompts": ("list_prompts", "prompts"),
}
REFERENCES = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}


class User:
    """Answers what the server asks as a step says, and keeps what was asked, both by method."""

    def begin(self, step):
        self.answers = {method: list(answers) for method, answers in step.get("answers", {}).items()}
        self.asked = {}

    def answer(self, method, params):
        self.asked.setdefault(method, []).append(params)
        return self.answers[method].pop(0)

    async def elicit(self, _context, params):
        return types.ElicitResult.model_validate(self.answer("elicitation/create", plain(params)))

    async def sample(self, _context, params):
        return types.CreateMessageResult.model_validate(self.answer("sampling/createMessage", plain(params)))

    async def list_roots(self, _context):
        # Its parameters are not told.
        return types.ListRootsResult.model_validate(self.answer("roots/list", {}))

    def callbacks(self):
        return {"elicitation_callback": self.elicit, "sampling_callback": self.sample, "list_roots_callback": self.list_roots}


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


async def list_all(client, step):
    method, member = LISTS[step["list"]]
    items, cursor = [], step.get("cursor")
    while True:
        page = await getattr(client, method)(cursor=cursor, cache_mode="refresh")
        items += [plain(item) for item in getattr(page, member)]
        cursor = page.next_cursor
        if cursor is None:
            return {"items": items}


async def call(client, step):
    progress = []
    with anyio.CancelScope() as scope:

        async def on_progress(value, total, message):
            progress.append({"progress": value, "total": total, "message": message})
            if step.get("cancel"):
                scope.cancel()

        watched = step.get("progress") or step.get("cancel")
        result = await client.call_tool(
            step["call"], step.get("arguments"), progress_callback=on_progress if watched else None
        )
        return {"result": plain(result), "progress": progress} if watched else {"result": plain(result)}
    return {"cancelled": True, "progress": progress}


async def perform(client, step):
    if "list" in step:
        return await list_all(client, step)
    if "call" in step:
        return await call(client, step)
    if "read" in step:
        return {"result": plain(await client.read_resource(step["read"], cache_mode="refresh"))}
    if "prompt" in step:
        return {"result": plain(await client.get_prompt(step["prompt"], step.get("arguments")))}
    if "complete" in step:
        reference = step["complete"]["ref"]
        reference = REFERENCES[reference["type"]].model_validate(reference)
        return {"result": plain(await client.complete(reference, step["complete"]["argument"]))}
    if client.session.discover_result is None:
        await client.send_ping()
    else:
        await client.session.send_discover(client.protocol_version)
    return {"alive": True}


async def attempt(client, step):
    try:
        return await perform(client, step)
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message}}
    except Exception as error:
        return {"failure": repr(error)}


def target(server):
    if "url" in server:
        return server["url"]
    return StdioServerParameters(command=server["command"], args=server["arguments"])


async def attempt_all(client, user, steps):
    outcomes = {}
    for step in steps:
        user.begin(step)
        outcomes[step["name"]] = {**await attempt(client, step), "asked": user.asked}
    return outcomes


async def main():
    job, user = json.load(sys.stdin), User()
    callbacks = user.callbacks() if job["asked"] else {}
    async with Client(target(job["server"]), mode=MODES[job["mode"]], read_timeout_seconds=60, **callbacks) as client:
        steps = await attempt_all(client, user, job["steps"])
        connection = {
            "revision": client.protocol_version,
            "server": plain(client.server_info) if client.server_info else None,
            "capabilities": plain(client.server_capabilities),
            "instructions": client.instructions,
        }
    print(json.dumps({"connection": connection, "steps": steps}))


warnings.simplefilter("ignore", DeprecationWarning)
anyio.run(main)
