"""The protocol, with pytest-lsp. Takes PAGELINT_BIN and PROJECT."""

import os
import pathlib
import sys

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

BIN = os.environ["PAGELINT_BIN"]
PROJECT = pathlib.Path(os.environ["PROJECT"])
FILE = PROJECT / "addons/vineyard/commands/vine_commands.gd"
LINE = next(i for i, l in enumerate(FILE.read_text().splitlines()) if "page[MORE] =" in l)


def params(name):
    return types.InitializeParams(
        capabilities=client_capabilities(name),
        workspace_folders=[types.WorkspaceFolder(uri=PROJECT.as_uri(), name="project")],
    )


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[BIN, "lsp"]),
    params=["neovim", "visual_studio_code", "emacs"],
)
async def client(request, lsp_client: LanguageClient):
    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_: types.RegistrationParams):
        return None

    await lsp_client.initialize_session(params(request.param))
    yield
    await lsp_client.shutdown_session()


def open_file(client, version=1):
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            text_document=types.TextDocumentItem(
                uri=FILE.as_uri(), language_id="gdscript", version=version, text=FILE.read_text()
            )
        )
    )


async def diagnostics(client):
    report = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(
            text_document=types.TextDocumentIdentifier(uri=FILE.as_uri())
        )
    )
    return report


@pytest.mark.asyncio
async def test_pull_action_and_close(client: LanguageClient):
    open_file(client)
    report = await diagnostics(client)
    hits = [d for d in report.items if d.code == "hand-built-envelope"]
    hit = next(d for d in hits if d.range.start.line == LINE)
    assert hit.severity == types.DiagnosticSeverity.Error
    assert hit.code_description.href.endswith("hand-built-envelope.md")
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=FILE.as_uri()),
            range=hit.range,
            context=types.CodeActionContext(diagnostics=[hit]),
        )
    )
    titles = [action.title for action in actions]
    assert any(title.startswith("Allow hand-built-envelope") for title in titles), titles
    # Some libraries take an action that has a command for a bare command.
    assert not any(getattr(action, "is_preferred", None) for action in actions)
    unchanged = await client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(
            text_document=types.TextDocumentIdentifier(uri=FILE.as_uri()),
            previous_result_id=report.result_id,
        )
    )
    assert unchanged.kind == "unchanged"
    client.text_document_did_close(
        types.DidCloseTextDocumentParams(
            text_document=types.TextDocumentIdentifier(uri=FILE.as_uri())
        )
    )
    everything = await client.workspace_diagnostic_async(
        types.WorkspaceDiagnosticParams(previous_result_ids=[])
    )
    assert sum(len(item.items) for item in everything.items) > len(report.items)
    hover = await client.text_document_hover_async(
        types.HoverParams(
            text_document=types.TextDocumentIdentifier(uri=FILE.as_uri()),
            position=types.Position(line=0, character=0),
        )
    )
    assert hover is None


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[BIN, "lsp"]))
async def pushed(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(), root_uri=PROJECT.as_uri()
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_push(pushed: LanguageClient):
    open_file(pushed)
    await pushed.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert any(d.range.start.line == LINE for d in pushed.diagnostics[FILE.as_uri()])
    pushed.text_document_did_close(
        types.DidCloseTextDocumentParams(
            text_document=types.TextDocumentIdentifier(uri=FILE.as_uri())
        )
    )
    await pushed.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert list(pushed.diagnostics[FILE.as_uri()]) == []


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q"]))
