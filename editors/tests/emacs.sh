#!/usr/bin/env bash
# Emacs with eglot: sees a diagnostic, applies the allow action, sees the diagnostic gone.
# Takes PAGELINT_BIN.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PAGELINT_BIN:=$PWD/target/debug/pagelint}"
command -v emacs >/dev/null || { echo "emacs: not installed" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r fixtures/projects/half-migrated "$work/project"
export PAGELINT_BIN PROJECT="$work/project" EDITORS="$PWD/editors" HOME="$work"
timeout 150 emacs --batch --quick --load editors/tests/emacs.el 2>&1 | tee "$work/said"
grep -q "gone after the action" "$work/said"
echo "emacs: passed"
