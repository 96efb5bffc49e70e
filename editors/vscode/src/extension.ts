// Starts the server and leaves everything else to the client library.

import { commands, ExtensionContext, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(commands.registerCommand("pagelint.restart", restart));
  context.subscriptions.push(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("pagelint.path")) {
        return restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(): Promise<void> {
  await client?.dispose();
  await start();
}

async function start(): Promise<void> {
  const settings = workspace.getConfiguration("pagelint");
  const server: ServerOptions = { command: settings.get("path", "pagelint"), args: ["lsp"] };
  const languages = [
    "gdscript", "go", "typescript", "typescriptreact", "javascript", "javascriptreact",
  ];
  const options: LanguageClientOptions = {
    documentSelector: [
      ...languages.map((language) => ({ scheme: "file", language })),
      { scheme: "file", pattern: "**/pagelint.toml" },
    ],
    initializationOptions: settings,
  };
  client = new LanguageClient("pagelint", "pagelint", server, options);
  await client.start();
}
