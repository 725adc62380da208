/** Starts `accrete lsp` in each folder of the workspace. */
import { existsSync } from "node:fs";
import path from "node:path";
import { RelativePattern, workspace } from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

const clients = new Map();

/** Starts a server for each folder, and for those that are added later. */
export async function activate(context) {
  const change = async ({ added, removed }) => {
    for (const folder of removed) await stop(folder);
    for (const folder of added) await start(folder);
  };
  context.subscriptions.push(workspace.onDidChangeWorkspaceFolders(change));
  await change({ added: workspace.workspaceFolders ?? [], removed: [] });
}

/** Stops all servers. */
export async function deactivate() {
  await Promise.all([...clients.values()].map((client) => client.stop()));
}

async function start(folder) {
  const root = folder.uri.fsPath;
  const client = new LanguageClient("accrete", `accrete (${folder.name})`, createServerOptions(root), {
    documentSelector: [{ scheme: "file", language: "json", pattern: `${root.replaceAll("\\", "/")}/**/*` }],
    workspaceFolder: folder,
    synchronize: {
      fileEvents: ["**/*.json", "**/*.jsonl"].map((pattern) =>
        workspace.createFileSystemWatcher(new RelativePattern(folder, pattern)),
      ),
    },
  });
  clients.set(root, client);
  await client.start();
}

async function stop(folder) {
  const root = folder.uri.fsPath;
  await clients.get(root)?.stop();
  clients.delete(root);
}

/** Returns how to start the accrete of a folder. Its own one runs in the Node of the editor, so none needs to be installed. */
function createServerOptions(root) {
  const own = path.join(root, "node_modules/accrete-cli/dist/cli.js");
  if (existsSync(own))
    return {
      command: process.execPath,
      args: [own, "lsp"],
      options: { cwd: root, env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" } },
    };
  const command = workspace.getConfiguration("accrete").get("command", "accrete");
  return { command, args: ["lsp"], options: { cwd: root } };
}
