#!/usr/bin/env bash
# The steps of action.yml. All inputs come as environment variables, none as part of a script.
set -euo pipefail

case "$1" in
install)
  if [ -n "${PAGELINT_BIN:-}" ]; then exit 0; fi
  python3 -m venv "$RUNNER_TEMP/pagelint"
  scripts="$RUNNER_TEMP/pagelint/bin"
  [ -d "$scripts" ] || scripts="$RUNNER_TEMP/pagelint/Scripts"
  "$scripts/python" -m pip install --quiet --disable-pip-version-check "pagelint==$INPUT_VERSION"
  echo "PAGELINT_BIN=$scripts/pagelint" >> "$GITHUB_ENV"
  ;;
check)
  sarif="$RUNNER_TEMP/pagelint.sarif"
  rm -f "$sarif"
  # One argument a line, so that blanks and quotes mean nothing.
  arguments=()
  while IFS= read -r line; do
    if [ -n "$line" ]; then arguments+=("$line"); fi
  done <<< "$INPUT_ARGS"
  status=0
  "$PAGELINT_BIN" check --format github --output "sarif=$sarif" ${arguments[@]+"${arguments[@]}"} || status=$?
  if [ -f "$sarif" ]; then echo "sarif=$sarif" >> "$GITHUB_OUTPUT"; fi
  echo "status=$status" >> "$GITHUB_OUTPUT"
  ;;
verdict)
  exit "$INPUT_STATUS"
  ;;
*)
  echo "no such step: $1" >&2
  exit 2
  ;;
esac
