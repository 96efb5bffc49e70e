#!/bin/sh
# Checks recorded traffic of a real MCP server from end to end: installs the public SDK, runs a
# small server on standard streams, walks its tools, and lets pagelint read what was said.
#
# Takes PAGELINT_BIN, the program to test. Needs Python 3.10 or newer and the package registry.
# Leaves nothing behind.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
pagelint=${PAGELINT_BIN:-$here/../target/debug/pagelint}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check 'mcp>=1.10,<2'
"$work/venv/bin/python" -m pip show mcp 2>/dev/null | sed -n '1,2p'

"$work/venv/bin/python" "$here/mcp/client.py" "$work/right.jsonl" right
"$work/venv/bin/python" "$here/mcp/client.py" "$work/all.jsonl" all
echo "recorded $(wc -l <"$work/right.jsonl") and $(wc -l <"$work/all.jsonl") messages"

# The tools that keep the envelope give nothing to report.
"$pagelint" check --as session "$work/right.jsonl" --format short --fail-on note --strict

# The wrong one is found, and nothing else.
status=0
"$pagelint" check --as session "$work/all.jsonl" --format json --strict >"$work/report.json" || status=$?
[ "$status" -eq 1 ] || { echo "exit status $status, not 1" >&2; exit 1; }
python3 - "$work/report.json" <<'PYTHON'
import json
import sys

findings = json.load(open(sys.argv[1]))["findings"]
for finding in findings:
    start = finding["start"]
    print(f"{start['line']}:{start['column']} {finding['rule']}: {finding['message']}")
tools = {tool for finding in findings for tool in finding["commands"]}
rules = {finding["rule"] for finding in findings}
wanted = {"legacy-field", "wrong-field-type", "unguarded-resume-field", "broken-walk"}
assert tools == {"list_stones"}, tools
assert rules == wanted, (rules - wanted, wanted - rules)
PYTHON
echo "the wrong tool was found, and only that one"
