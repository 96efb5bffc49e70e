"""A small MCP server, built with the public SDK: three tools that keep the envelope, one that does not."""

import json

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

MOST = 4
TREES = [{"id": number, "kind": "apple"} for number in range(10)]
LOG = [f"day {number}: dry" for number in range(1, 8)]
STONES = [{"id": number} for number in range(5)]


def list_trees(limit=3, offset=0):
    """Lists trees. Declares what it returns, and sends it structured and as text."""
    if limit < 1 or offset < 0:
        raise ValueError("limit must be at least 1, offset at least 0")
    rows = TREES[offset : offset + min(limit, MOST)]
    end = offset + len(rows)
    page = {
        "trees": rows,
        "offset": offset,
        "returned": len(rows),
        "total_trees": len(TREES),
        "has_more": end < len(TREES),
    }
    hints = []
    if limit > MOST:
        page["limit_clamped"] = True
        hints.append(f"limit was clamped to {MOST}")
    if page["has_more"]:
        page["next_offset"] = end
        hints.append(f"give offset {end} to go on")
    if hints:
        page["hint"] = "; ".join(hints)
    return page


def read_log(start_line=1, limit=4):
    """Reads lines of a log. Its page is text only."""
    lines = LOG[start_line - 1 : start_line - 1 + limit]
    end = start_line + len(lines)
    page = {
        "text": "\n".join(lines),
        "start_line": start_line,
        "returned": len(lines),
        "total_lines": len(LOG),
        "has_more": end <= len(LOG),
    }
    if page["has_more"]:
        page |= {"next_start_line": end, "hint": f"give start_line {end} to go on"}
    return page


def map_orchard(region=None):
    """Maps a grid: no linear order, so no resume field."""
    if region:
        return {"cells": [[0, 0]], "returned": 1, "total_cells": 1, "has_more": False}
    return {
        "cells": [[0, 0], [0, 1]],
        "returned": 2,
        "total_cells": 900,
        "has_more": True,
        "hint": "narrow region to see the rest",
    }


def list_stones(limit=2, offset=0):
    """The wrong one: an old name, a flag of the wrong type, a resume field on the last page, a skipped row."""
    rows = STONES[offset : offset + limit]
    end = offset + len(rows)
    last = end >= len(STONES)
    page = {
        "stones": rows,
        "offset": offset,
        "count": len(rows),
        "total_stones": len(STONES),
        "has_more": False if last else (True if offset else "true"),
        "next_offset": end if last else end + 1,
    }
    return page if last else page | {"hint": "give the next offset to go on"}


INTEGER, BOOLEAN, STRING = {"type": "integer"}, {"type": "boolean"}, {"type": "string"}
TREES_SCHEMA = {
    "type": "object",
    "properties": {
        "trees": {"type": "array"},
        "offset": INTEGER,
        "returned": INTEGER,
        "total_trees": INTEGER,
        "has_more": BOOLEAN,
        "next_offset": INTEGER,
        "limit_clamped": BOOLEAN,
        "hint": STRING,
    },
    "required": ["trees", "offset", "returned", "total_trees", "has_more"],
}
TOOLS = {
    "list_trees": (list_trees, {"limit": INTEGER, "offset": INTEGER}, TREES_SCHEMA),
    "read_log": (read_log, {"limit": INTEGER, "start_line": INTEGER}, None),
    "map_orchard": (map_orchard, {"region": {"type": "array"}}, None),
    "list_stones": (list_stones, {"limit": INTEGER, "offset": INTEGER}, None),
}

server = Server("orchard")


@server.list_tools()
async def tools():
    return [
        types.Tool(
            name=name,
            description=function.__doc__,
            inputSchema={"type": "object", "properties": parameters},
            outputSchema=schema,
        )
        for name, (function, parameters, schema) in TOOLS.items()
    ]


@server.call_tool()
async def call(name, arguments):
    function, _, schema = TOOLS[name]
    page = function(**arguments)
    return page if schema else [types.TextContent(type="text", text=json.dumps(page))]


async def main():
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


anyio.run(main)
