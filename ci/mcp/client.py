"""Walks the tools of the server as an agent would, with the public SDK; `all` calls the wrong one too."""

import json
import os
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

record, wanted = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
arguments = [os.path.join(here, "record.py"), record, sys.executable, os.path.join(here, "server.py")]


async def walk(session, tool, resume, field, **given):
    while True:
        result = await session.call_tool(tool, given)
        if result.isError:
            raise SystemExit(f"{tool}: {result.content[0].text}")
        page = json.loads(result.content[0].text)
        if page["has_more"] is False or field not in page:
            return
        given[resume] = page[field]


async def main():
    parameters = StdioServerParameters(command=sys.executable, args=arguments)
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        await session.list_tools()
        await walk(session, "list_trees", "offset", "next_offset")
        await walk(session, "list_trees", "offset", "next_offset", limit=99)
        await walk(session, "read_log", "start_line", "next_start_line")
        await session.call_tool("list_trees", {"limit": -1})
        await session.call_tool("list_trees", {"offset": 3})
        await session.call_tool("map_orchard", {})
        await session.call_tool("map_orchard", {"region": [0, 0, 1, 1]})
        if wanted == "all":
            await walk(session, "list_stones", "offset", "next_offset")


anyio.run(main)
