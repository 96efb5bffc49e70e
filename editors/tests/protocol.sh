#!/usr/bin/env bash
# pytest-lsp against a copy of a fixture project. Takes PAGELINT_BIN, and PYTHON, an interpreter
# that has pytest-lsp.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PAGELINT_BIN:=$PWD/target/debug/pagelint}"
: "${PYTHON:=python3}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r fixtures/projects/half-migrated "$work/project"
export PAGELINT_BIN PROJECT="$work/project"
cd "$work"
timeout 120 "$PYTHON" -m pytest -q -p no:cacheprovider "$OLDPWD/editors/tests/test_protocol.py"
