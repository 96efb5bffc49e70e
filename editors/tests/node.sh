#!/usr/bin/env bash
# The protocol library of the VS Code client drives the server in Node. Takes PAGELINT_BIN, and
# MODULES, a directory whose node_modules has vscode-languageserver-protocol.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PAGELINT_BIN:=$PWD/target/debug/pagelint}"
: "${MODULES:=$PWD/editors/vscode}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r fixtures/projects/half-migrated "$work/project"
export PAGELINT_BIN MODULES PROJECT="$work/project"
timeout 120 node --test editors/tests/node.mjs
