"""What the recorded traffic of one server process must show, over either transport, whatever the client made of it."""

import json

MODERN = "2026-07-28"
LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
# What may ask the client something before it answers, and what it may ask.
ASKING = {"tools/call", "prompts/get", "resources/read"}
QUESTIONS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
CACHEABLE = {"server/discover", "resources/read", *LISTS}
MODERN_ONLY = {"resultType", "ttlMs", "cacheScope", "inputRequests", "requestState"}
# The members of a listed item, by the revision that brought them (docs/protocol/legacy.md, section 8).
ITEM_MEMBERS = {
    "2025-03-26": {"name", "description", "inputSchema", "annotations", "uri", "uriTemplate", "mimeType", "size", "arguments"},
    "2025-06-18": {"title", "outputSchema", "_meta"},
    "2025-11-25": {"icons"},
}
SECONDS_TO_EXIT = 2
# What runs when the server is asked to end may finish: over HTTP, the import that a legacy client could not cancel.
SECONDS_OF_GRACE = 5


class Wire:
    """The frames of one process: requests by id, what came back for each, and what came unasked."""

    def __init__(self, record):
        self.record = record
        self.broken = []
        self.requests, self.answers, self.cancelled, self.server_methods = {}, {}, {}, []
        for position, (sender, line) in enumerate(record["frames"]):
            if sender == "left":
                self.cancelled[json.loads(line)] = position
                continue
            try:
                message = json.loads(line)
                if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                    raise ValueError("not one JSON-RPC message")
            except ValueError as error:
                self.broken.append(f"{sender} sent {line[:200]!r}: {error}")
                continue
            self.note(position, sender, message)

    def note(self, position, sender, message):
        method, params = message.get("method"), message.get("params") or {}
        if sender == "server":
            if method is not None:
                self.server_methods.append((position, message))
            else:
                self.answers.setdefault(message.get("id"), []).append((position, message))
        elif method == "notifications/cancelled" and "statuses" in self.record:
            pass  # Without a session nobody knows whose request is meant: it is accepted and has no effect.
        elif method == "notifications/cancelled":
            self.cancelled[params["requestId"]] = position
        elif "id" in message and method is not None:
            self.requests[message["id"]] = message

    def results(self, method):
        """Each successful answer to a method, in the order of the requests."""
        for identifier, request in self.requests.items():
            if request["method"] == method:
                yield from (a["result"] for _, a in self.answers.get(identifier, []) if "result" in a)

    def methods(self):
        return [request["method"] for request in self.requests.values()]


def faults(record, revision, probe=False, paged=False):
    """Each sentence is something that the process did wrong. A probe is a process that a client starts only to learn the revision."""
    wire = Wire(record)
    found = [*wire.broken, *ending(record, probe), *exchange(wire), *statuses(record.get("statuses", []))]
    if not probe:
        found += era(wire, revision)
    if paged and not probe:
        found += pages(wire)
    return found


# STDIO-02, STDIO-08, STDIO-15, LIO-02, LIO-04
def ending(record, probe):
    allowed = SECONDS_TO_EXIT + (SECONDS_OF_GRACE if "statuses" in record else 0)
    if record["code"] != 0:
        yield f"the process ended with {record['code']}"
    if record["signals"] and not probe:
        yield f"the process did not end by itself: {record['signals']}"
    elif record["seconds_to_exit"] is not None and record["seconds_to_exit"] > allowed:
        yield f"the process took {record['seconds_to_exit']:.1f} s to end"
    if "panicked" in record["errors"]:
        yield f"a panic: {record['errors'][-500:]}"


# LH-05, LH-21
def statuses(answers):
    for verb, method, notification, status in answers:
        wanted = 405 if verb != "POST" else 202 if notification else None
        if wanted not in (None, status):
            yield f"{verb} of {method} is answered {status}, not {wanted}"


# JR-02, JR-11, STDIO-04, STDIO-06, PROG-01, PROG-03, PROG-04, ELIC-13
def exchange(wire):
    for identifier, request in wire.requests.items():
        answers = wire.answers.get(identifier, [])
        if identifier in wire.cancelled:
            yield from (f"{request['method']} answered after its cancellation" for at, _ in answers if at > wire.cancelled[identifier])
            yield from (f"{request['method']} finished before it could be cancelled" for at, _ in answers if at < wire.cancelled[identifier])
        elif len(answers) != 1:
            yield f"{request['method']} with id {identifier!r} has {len(answers)} answers"
    for identifier in wire.answers.keys() - wire.requests.keys():
        yield f"an answer to the unknown id {identifier!r}"
    last = {}
    for position, message in wire.server_methods:
        if "id" in message:
            yield f"the server asks: {message['method']}"
        if message["method"] == "notifications/elicitation/complete":
            yield "the server says when an elicitation is complete"
        if message["method"] == "notifications/progress":
            params = message["params"]
            yield from progress(wire, position, params, last.get(params["progressToken"]))
            last[params["progressToken"]] = params["progress"]


def progress(wire, position, params, before):
    token = params["progressToken"]
    owners = [i for i, r in wire.requests.items() if progress_token(r) == token]
    if not owners:
        yield f"progress for {token!r}, which nobody asked for"
    if before is not None and params["progress"] <= before:
        yield f"progress went from {before} to {params['progress']}"
    for owner in owners:
        if any(at < position for at, _ in wire.answers.get(owner, [])):
            yield f"progress for {token!r} after the answer"


def progress_token(request):
    return ((request.get("params") or {}).get("_meta") or {}).get("progressToken")


# ERA-01, ERA-02, JR-09, CACHE-01, CACHE-02, CACHE-03, CACHE-05, LC-01, LF-01
def era(wire, revision):
    modern = revision == MODERN
    if modern == ("initialize" in wire.methods()):
        yield f"{revision} was reached by {wire.methods()[0]}"
    for identifier, request in wire.requests.items():
        method = request["method"]
        for _, answer in wire.answers.get(identifier, []):
            result = answer.get("result")
            if result is None:
                yield from error(method, answer["error"], modern, revision)
                continue
            if not modern and (foreign := MODERN_ONLY & result.keys()):
                yield f"{method}: {sorted(foreign)} under {revision}"
            if not modern and revision < "2025-06-18" and "structuredContent" in result:
                yield f"{method}: structuredContent under {revision}"
            if modern:
                yield from modern_result(method, result)
            if result.get("resultType") == "input_required":
                yield from input_required(request, result)
            yield from items(method, result, revision)


# ERR-01, LF-07, LF-12
def error(method, answer, modern, revision):
    code = answer["code"]
    if not modern and code in (-32020, -32021, -32022):
        yield f"{method}: {code} under {revision}"
    # What is read fails because it is not there, or because it asks a client that can't be asked.
    if method == "resources/read" and MODERN not in answer["message"] and code != (-32602 if modern else -32002):
        yield f"{method}: {code} under {revision}"


def modern_result(method, result):
    asks = result.get("resultType") == "input_required"
    if not asks and result.get("resultType") != "complete":
        yield f"{method}: resultType is {result.get('resultType')!r}"
    if "io.modelcontextprotocol/serverInfo" not in result.get("_meta", {}):
        yield f"{method}: the server does not name itself"
    if method not in CACHEABLE or asks:
        yield from (f"{method}: {name} does not belong there" for name in ("ttlMs", "cacheScope") if name in result)
    elif not isinstance(result.get("ttlMs"), int) or result["ttlMs"] < 0 or result.get("cacheScope") not in ("public", "private"):
        yield f"{method}: no caching hints"


# MRTR-01, MRTR-03, MRTR-04, MRTR-05, MRTR-17, ROOT-01, SAMP-04
def input_required(request, result):
    method, declared = request["method"], request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]
    if method not in ASKING:
        yield f"{method}: asks its client"
    if not result.keys() & {"inputRequests", "requestState"}:
        yield f"{method}: asks nothing, and keeps nothing"
    for key, question in result.get("inputRequests", {}).items():
        if QUESTIONS.get(question["method"]) not in declared:
            yield f"{method}: {key} asks for {question['method']} of a client that declared {sorted(declared)}"
        if question["method"] == "elicitation/create":
            yield from (f"{method}: {key} {fault}" for fault in elicitation(question["params"]))
        if question["method"] == "sampling/createMessage" and "maxTokens" not in question["params"]:
            yield f"{method}: {key} has no maxTokens"


# ELIC-01, ELIC-04, ELIC-05
def elicitation(params):
    if not params.get("message"):
        yield "has no message"
    if params.get("mode") == "url":
        yield from (f"has {name}" for name in ("requestedSchema", "elicitationId") if name in params)
        if not params.get("url", "").startswith("https://"):
            yield f"leads to {params.get('url')!r}"
        return
    schema = params.get("requestedSchema", {})
    if schema.get("type") != "object" or not isinstance(schema.get("properties"), dict):
        yield f"asks for no object: {schema}"
    nested = (name for name, property in schema.get("properties", {}).items() if "properties" in property)
    yield from (f"asks for an object within: {name}" for name in nested)


def items(method, result, revision):
    known = set().union(*(members for since, members in ITEM_MEMBERS.items() if since <= revision))
    for item in result.get(LISTS.get(method), []):
        if foreign := item.keys() - known:
            yield f"{method}: {sorted(foreign)} under {revision}"


# PAGE-02, PAGE-05
def pages(wire):
    for method, member in LISTS.items():
        lengths = [len(result[member]) for result in wire.results(method)]
        if any(length > 2 for length in lengths):
            yield f"{method}: pages of {lengths} items"
        if method in ("tools/list", "resources/list") and len(lengths) < 3:
            yield f"{method}: only {len(lengths)} pages"
        if any(result.get("nextCursor", "") is None for result in wire.results(method)):
            yield f"{method}: nextCursor is null"
