"""What a client's report must say: the patterns of the scenario, and equality between clients of different revisions."""

import json
import re

ANY_MORE = "..."

# Members that say how an answer travelled rather than what it was.
TRANSPORT_MEMBERS = {"_meta", "resultType", "ttlMs", "cacheScope", "nextCursor"}
# Members that came with a revision: an older one leaves them out.
SINCE = {"icons": "2025-11-25", "title": "2025-06-18", "outputSchema": "2025-06-18", "structuredContent": "2025-06-18"}
# What an author wrote, to be carried as it is.
OPAQUE = {"inputSchema", "outputSchema", "structuredContent", "annotations"}
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
PNG = re.compile(r"iVBORw0KGgo[A-Za-z0-9+/]*=*")


def mismatch(pattern, actual, path=""):
    """The first place where the value does not fit the pattern, as a sentence, or None."""
    if isinstance(pattern, dict):
        if not isinstance(actual, dict):
            return f"{path or '/'}: expected an object, got {short(actual)}"
        missing = [name for name in pattern if name not in actual]
        if missing:
            return f"{path}/{missing[0]}: missing in {short(actual)}"
        return first(mismatch(pattern[name], actual[name], f"{path}/{name}") for name in pattern)
    if isinstance(pattern, list):
        if not isinstance(actual, list):
            return f"{path}: expected a list, got {short(actual)}"
        if pattern[:1] == [ANY_MORE]:
            unmet = (wanted for wanted in pattern[1:] if all(mismatch(wanted, item) for item in actual))
            return first(f"{path}: no item like {short(wanted)} in {short(actual)}" for wanted in unmet)
        if len(pattern) != len(actual):
            return f"{path}: expected {len(pattern)} items, got {short(actual)}"
        return first(mismatch(wanted, item, f"{path}/{i}") for i, (wanted, item) in enumerate(zip(pattern, actual)))
    if isinstance(pattern, str) and pattern.startswith("~"):
        fits = isinstance(actual, str) and re.search(pattern[1:], actual)
        return None if fits else f"{path}: expected /{pattern[1:]}/, got {short(actual)}"
    # `True == 1` in Python, not in JSON.
    same = pattern == actual and isinstance(pattern, bool) == isinstance(actual, bool)
    return None if same else f"{path}: expected {short(pattern)}, got {short(actual)}"


def expectation(step, revision):
    """What this step must bring under this revision."""
    return carried(expected(step, revision), revision)


def expected(step, revision):
    # No legacy client can be asked, so that it comes to another outcome.
    return step["legacy"] if "legacy" in step and revision < "2026-07-28" else step["expect"]


def comparable(outcome, step, revision):
    """The outcome without what differs between two equal runs, or between two revisions."""
    outcome = {name: value for name, value in outcome.items() if name != "progress"}
    if "error" in outcome and "code" not in expected(step, revision).get("error", {}):
        outcome["error"] = {name: value for name, value in outcome["error"].items() if name != "code"}
    return carried(stable(outcome), revision)


def carried(value, revision):
    """The value without the members that the revision does not know."""
    if isinstance(value, list):
        return [carried(item, revision) for item in value]
    if not isinstance(value, dict):
        return value
    if "inputSchema" in value and "title" in value and SINCE["title"] > revision:
        # Before tools had a title of their own, it was one of their annotations.
        value = {**value, "annotations": {**value.get("annotations", {}), "title": value["title"]}}
    known = {name: item for name, item in value.items() if SINCE.get(name, "") <= revision}
    return {name: item if name in OPAQUE else carried(item, revision) for name, item in known.items()}


def stable(value):
    if isinstance(value, list):
        return [stable(item) for item in value]
    if isinstance(value, dict):
        return {
            name: "(time)" if name in {"created", "updated"} else stable(item)
            for name, item in value.items()
            if name not in TRANSPORT_MEMBERS and not (name == "isError" and item is False)
        }
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = None
        if isinstance(parsed, dict):
            return stable(parsed)
        return TIME.sub("(time)", PNG.sub("(png)", value))
    return value


def difference(expected, actual, path=""):
    """The first place where two values differ, as a sentence, or None."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        names = sorted(expected.keys() | actual.keys())
        absent = object()
        for name in names:
            ours, theirs = expected.get(name, absent), actual.get(name, absent)
            if ours is absent or theirs is absent:
                return f"{path}/{name}: only in {'the other' if ours is absent else 'the first'}"
            if found := difference(ours, theirs, f"{path}/{name}"):
                return found
        return None
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return first(difference(ours, theirs, f"{path}/{i}") for i, (ours, theirs) in enumerate(zip(expected, actual)))
    return None if expected == actual else f"{path}: {short(expected)} and {short(actual)}"


def first(sentences):
    return next((sentence for sentence in sentences if sentence), None)


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "…"
