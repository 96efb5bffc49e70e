#!/bin/sh
# Opens the page of `pagelint progress` in a browser: sorting, filtering, no errors, no requests.
# Usage: ci/progress-page.sh [DIR], where DIR takes the screenshots. Installs what it needs on
# Debian and Ubuntu; elsewhere set CHROMIUM to the browser's path.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
pagelint=${PAGELINT:-$here/target/debug/pagelint}
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

# A small history: half of it migrated, all of it, and one tool that falls back.
repository=$work/repository
git init -q -b main "$repository"
commit() {
	git -C "$repository" add -A
	git -C "$repository" -c user.name=ci -c user.email=ci@example.org commit -q -m "$1"
}
fill() {
	rm -rf "$repository"/*
	cp -R "$here/fixtures/projects/$1/." "$repository/"
	printf '* @toolkit\n' >"$repository/CODEOWNERS"
}
fill half-migrated && commit "Start & <halfway>"
fill migrated && commit "Finish"
fill half-migrated && commit "Fall back"

cd "$repository"
# Expired exceptions would make the status 1; there are none here.
"$pagelint" progress --history --no-cache --format html --output "$work/page.html"
PAGE="file://$work/page.html" SHOTS="$shots" CHROMIUM="$chromium" WORK="$work" \
	NODE_PATH="$work/node_modules" node "$here/ci/progress-page.cjs"
