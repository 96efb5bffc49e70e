#!/usr/bin/env bash
# Neovim with the shipped snippet: sees a diagnostic, jumps to a related place, applies the
# allow action, sees the diagnostic gone. Takes PAGELINT_BIN.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PAGELINT_BIN:=$PWD/target/debug/pagelint}"
command -v nvim >/dev/null || { echo "neovim: not installed" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r fixtures/projects/half-migrated "$work/project"
export PAGELINT_BIN PROJECT="$work/project" EDITORS="$PWD/editors" XDG_STATE_HOME="$work" XDG_CACHE_HOME="$work"
timeout 120 nvim --headless --clean -n -c "luafile editors/tests/neovim.lua" 2>&1 | tee "$work/said"
grep -q "gone after the action" "$work/said"
echo
echo "neovim: passed"
