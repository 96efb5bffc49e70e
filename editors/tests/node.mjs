// The protocol library of the VS Code client, in Node: a session against a fixture project.
// Takes PAGELINT_BIN; started by editors/tests/node.sh.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { test } from "node:test";

const require = createRequire(process.env.MODULES + "/");
const lsp = require("vscode-languageserver-protocol/node");

function connect() {
  const server = spawn(process.env.PAGELINT_BIN, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout),
    new lsp.StreamMessageWriter(server.stdin),
  );
  connection.listen();
  const ended = new Promise((resolve) => server.on("exit", resolve));
  return { connection, ended };
}

const root = pathToFileURL(process.env.PROJECT).href;
const uri = `${root}/addons/vineyard/commands/vine_commands.gd`;
const text = readFileSync(new URL(uri), "utf8");
const folders = [{ uri: root, name: "project" }];
const line = text.split("\n").findIndex((line) => line.includes("page[MORE] ="));

test("diagnostics are pulled, an action silences, related files are told", async () => {
  const { connection, ended } = connect();
  const begun = performance.now();
  const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: folders,
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      textDocument: { diagnostic: { dynamicRegistration: false }, codeAction: {} },
      workspace: { workspaceEdit: { documentChanges: true }, workspaceFolders: true },
    },
  });
  console.log(`initialize: ${(performance.now() - begun).toFixed(1)} ms with the start of the program`);
  assert.equal(capabilities.positionEncoding, "utf-16");
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  const item = { uri, languageId: "gdscript", version: 1, text };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: item });
  const pull = () =>
    connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri } });
  const before = await pull();
  assert.equal(before.kind, "full");
  const hit = before.items.find((d) => d.code === "hand-built-envelope" && d.range.start.line === line);
  assert.ok(hit.codeDescription.href.endsWith("hand-built-envelope.md"));
  assert.ok(hit.relatedInformation.length > 0);
  const again = await connection.sendRequest(lsp.DocumentDiagnosticRequest.type, {
    textDocument: { uri },
    previousResultId: before.resultId,
  });
  assert.equal(again.kind, "unchanged");

  const actions = await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri },
    range: hit.range,
    context: { diagnostics: [hit] },
  });
  const allow = actions.find((action) => action.title.startsWith("Allow hand-built-envelope"));
  assert.ok(!allow.isPreferred);
  const [change] = allow.edit.documentChanges;
  assert.equal(change.textDocument.version, 1);
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: change.edits.map((edit) => ({ range: edit.range, text: edit.newText })),
  });
  const after = await pull();
  assert.equal(after.items.length, before.items.length - 1);
  const all = await connection.sendRequest(lsp.WorkspaceDiagnosticRequest.type, {
    previousResultIds: [],
  });
  assert.ok(all.items.some((item) => item.uri.endsWith("cellar_reader.gd") && item.items.length > 0));
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.equal(await ended, 0);
});

test("a client that dies takes the server along", async () => {
  const server = spawn(process.env.PAGELINT_BIN, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  server.stdin.end();
  assert.equal(await ended, 1);
});
