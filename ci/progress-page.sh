#!/bin/sh
# Opens the page of `pagelint progress` in a browser: sorting, filtering, no errors, no requests.
# Usage: ci/progress-page.sh [DIR], where DIR takes the screenshots. Takes PAGELINT_BIN. Installs what it needs on
# Debian and Ubuntu; elsewhere set CHROMIUM to the browser's path.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
pagelint=${PAGELINT_BIN:-$here/target/debug/pagelint}
chromium=${CHROMIUM:-/usr/bin/chromium}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shots=${1:-$work}
mkdir -p "$shots"

if [ ! -x "$chromium" ]; then
	apt-get update >/dev/null && apt-get install -y --no-install-recommends chromium >/dev/null
fi
[ -x "$pagelint" ] || (cd "$here" && cargo build)
npm install --silent --no-audit --no-fund --prefix "$work" playwright-core@1.65.1

# A small history: one tool falls back and is mended again.
repository=$work/repository
git init -q -b main "$repository"
commit() {
	git -C "$repository" add -A
	GIT_COMMITTER_DATE="$2T12:00:00Z" GIT_AUTHOR_DATE="$2T12:00:00Z" \
	git -C "$repository" -c user.name=ci -c user.email=ci@example.org commit -q -m "$1"
}
cp -R "$here/fixtures/projects/half-migrated/." "$repository/"
printf '* @toolkit\n' >"$repository/CODEOWNERS"
commit "Start & <halfway>" 2026-01-05
tools=$repository/addons/vineyard/commands/vine_commands.gd
cp "$tools" "$work/tools"
sed 's/^\treturn MCPToolkitSuccess.ok(\(Modules.Pagination.list_page(.*)\))  # clean.*/\tvar page = \1\n\tpage["truncated"] = false\n\treturn MCPToolkitSuccess.ok(page)/' "$work/tools" >"$tools"
commit "Fall back" 2026-02-16
cp "$work/tools" "$tools"
commit "Mend" 2026-03-30

cd "$repository"
# Expired exceptions would make the status 1; there are none here.
"$pagelint" progress --history --no-cache --format html --output "$work/page.html"
PAGE="file://$work/page.html" SHOTS="$shots" CHROMIUM="$chromium" WORK="$work" \
	NODE_PATH="$work/node_modules" node "$here/ci/progress-page.cjs"
