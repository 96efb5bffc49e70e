"""Follows the README's section on continuous integration and the document that it leads to: their
commands in fresh clones, their files by what would read them."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADING = "## In continuous integration"


def sections():
    """The README's own section, and the whole document that it points at."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    short = re.split(r"(?m)^## ", readme.split(HEADING, 1)[1])[0]
    assert "(docs/ci.md)" in short, "the README does not lead to docs/ci.md"
    return short, (ROOT / "docs/ci.md").read_text(encoding="utf-8")


def fences(text, language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", text)


def run(command, folder, env, status=0):
    done = subprocess.run(command, shell=True, cwd=folder, env=env, text=True, capture_output=True)
    if done.returncode != status:
        sys.exit(f"{command}: exit {done.returncode} in place of {status}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    short, long = sections()
    for follow_one, text in ((follow_short, short), (follow, long)):
        scratch = pathlib.Path(tempfile.mkdtemp())
        try:
            follow_one(text, scratch)
        finally:
            shutil.rmtree(scratch)


def fresh_clone(scratch):
    """A clone of a code base that is not clean, for somebody who has just installed pagelint."""
    (scratch / "bin").mkdir()
    (scratch / "bin/pagelint").symlink_to(os.environ["PAGELINT_BIN"])
    (scratch / "home").mkdir()
    env = {
        "PATH": f"{scratch}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(scratch / "home"),
        "LC_ALL": "C.UTF-8",
    }
    for name in ("AUTHOR", "COMMITTER"):
        env[f"GIT_{name}_NAME"] = "ci"
        env[f"GIT_{name}_EMAIL"] = "ci@example.org"
    upstream = scratch / "upstream"
    shutil.copytree(ROOT / "fixtures/projects/half-migrated", upstream)
    run("git init -q -b main . && git add -A && git commit -qm start", upstream, env)
    run(f"git clone -q {upstream} clone", scratch, env)
    clone = scratch / "clone"
    return clone, env


def commands_of(text):
    return [line[2:] for fence in fences(text, "console") for line in fence.splitlines() if line.startswith("$ ")]


def follow_short(text, scratch):
    clone, env = fresh_clone(scratch)
    run("pagelint check", clone, env, status=1)
    commands = commands_of(text)
    assert "pagelint baseline" in commands, commands
    for command in commands:
        run(command, clone, env)
    run("pagelint check", clone, env)


def follow(text, scratch):
    clone, env = fresh_clone(scratch)
    run("pagelint check", clone, env, status=1)
    commands = commands_of(text)
    assert "pagelint baseline" in commands and len(commands) >= 8, commands
    for command in commands:
        run(command, clone, env)
    assert "driver" in run("git config --list", clone, env)
    run("pagelint check --locked", clone, env)

    yamls = [yaml.safe_load(fence) for fence in fences(text, "yaml")]
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    for document in yamls:
        for repo in document.get("repos", []):
            assert {hook["id"] for hook in repo["hooks"]} <= hooks
    workflow = next(document for document in yamls if "jobs" in document)
    gitlab(next(document for document in yamls if "include" in document), clone, env)
    action(workflow, clone, scratch, env)
    print(f"CI section: {len(commands)} commands, {len(yamls)} files followed")


def gitlab(document, clone, env):
    """Runs the job's script, but for the installation, with the variables of the document."""
    job = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())["pagelint"]
    chosen = document["pagelint"]["variables"]
    assert set(chosen) <= set(job["variables"])
    env = dict(env, **chosen)
    for line in job["script"]:
        if not line.startswith("pip "):
            run(line, clone, env)
    for report in job["artifacts"]["reports"].values():
        assert (clone / report).stat().st_size > 0, report
        (clone / report).unlink()


def action(workflow, clone, scratch, env):
    """Runs the action's own steps as the platform would, on a clean and on a faulty tree."""
    steps = workflow["jobs"]["pagelint"]["steps"]
    use = next(step for step in steps if step["uses"].startswith("pagelint/pagelint@"))
    definition = yaml.safe_load((ROOT / "action.yml").read_text())
    assert set(use["with"]) <= set(definition["inputs"])
    for name in ("out", "env", "summary"):
        (scratch / name).write_text("")
    env = dict(
        env,
        RUNNER_TEMP=str(scratch),
        GITHUB_ACTION_PATH=str(ROOT),
        GITHUB_OUTPUT=str(scratch / "out"),
        GITHUB_ENV=str(scratch / "env"),
        GITHUB_STEP_SUMMARY=str(scratch / "summary"),
        PAGELINT_BIN=os.environ["PAGELINT_BIN"],
        INPUT_ARGS=use["with"]["args"],
        INPUT_VERSION=definition["inputs"]["version"]["default"],
    )
    own = [step for step in definition["runs"]["steps"] if "run" in step]
    assert all("${{" not in step["run"] for step in own), "inputs must not become part of a script"
    for expected in (0, 1):
        for step in own:
            outputs = dict(line.split("=", 1) for line in (scratch / "out").read_text().splitlines())
            env["INPUT_STATUS"] = outputs.get("status", "")
            verdict = step["run"].endswith("verdict")
            run(step["run"], clone, env, status=expected if verdict else 0)
        log = json.loads((scratch / "pagelint.sarif").read_text(encoding="utf-8"))
        fresh = [r for r in log["runs"][0]["results"] if not r["suppressions"]]
        by_hand = [r for r in fresh if r["ruleId"] == "hand-built-envelope"]
        assert len(by_hand) == expected and bool(fresh) == bool(expected), [r["ruleId"] for r in fresh]
        (scratch / "out").write_text("")
        (clone / "hens.gd").write_text(
            "extends RefCounted\n\nfunc hens(herd: Array) -> Dictionary:\n"
            "\tvar shown := herd.slice(0, 20)\n\treturn MCPToolkitSuccess.ok({\n"
            '\t\t"hens": shown,\n\t\t"returned": shown.size(),\n\t\t"total_hens": herd.size(),\n'
            '\t\t"has_more": shown.size() < herd.size(),\n'
            '\t\t"hint": "pass a filter" if shown.size() < herd.size() else "",\n\t})\n'
        )
        own = own[1:] if own[0]["run"].endswith("install") else own
    assert "hand-built-envelope" in (scratch / "summary").read_text()


main()
