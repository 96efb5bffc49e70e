#!/usr/bin/env bash
# Real clients against the server: installs what they need, then runs each script of
# editors/tests. Takes PAGELINT_BIN, the program to test.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${PAGELINT_BIN:=$PWD/target/debug/pagelint}"
export PAGELINT_BIN

missing=()
command -v nvim >/dev/null || missing+=(neovim)
command -v emacs >/dev/null || missing+=(emacs-nox)
[ -d /usr/share/emacs/site-lisp/elpa-src ] && ls /usr/share/emacs/site-lisp/elpa-src | grep -q '^eglot' || missing+=(elpa-eglot)
if [ ${#missing[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
fi

tools=$PWD/target/editors
mkdir -p "$tools"
if ! "$tools/venv/bin/python" -c 'import pytest_lsp' 2>/dev/null; then
  python3 -m venv "$tools/venv"
  "$tools/venv/bin/pip" install -q 'pytest-lsp==1.0.1' pytest-asyncio
fi

editors/tests/neovim.sh
editors/tests/emacs.sh
PYTHON="$tools/venv/bin/python" editors/tests/protocol.sh
editors/tests/vscode.sh
editors/tests/node.sh
