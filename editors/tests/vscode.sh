#!/usr/bin/env bash
# Type-checks, bundles and packages the VS Code extension, and looks into the package.
set -euo pipefail
cd "$(dirname "$0")/../vscode"
npm install --no-audit --no-fund --silent
npm run --silent package
python3 - <<'PY'
import json, zipfile
with zipfile.ZipFile("pagelint.vsix") as package:
    names = package.namelist()
    manifest = json.loads(package.read("extension/package.json"))
    assert "extension/" + manifest["main"].removeprefix("./") in names, names
    assert not any("node_modules" in name for name in names), names
print("vscode: packaged", len(names), "files")
PY
