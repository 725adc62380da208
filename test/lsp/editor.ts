/** An editor that speaks the Language Server Protocol with `accrete lsp`, and applies the edits that it gets to the disk. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CodeAction,
  createProtocolConnection,
  type Diagnostic,
  type Hover,
  type Position,
  type ProtocolConnection,
  type Range,
  StreamMessageReader,
  StreamMessageWriter,
  type WorkspaceEdit,
} from "vscode-languageserver-protocol/node";
import { TextDocument } from "vscode-languageserver-textdocument";

/** The command line of the server in the sources. */
const FROM_SOURCE = [
  process.execPath,
  ...["--import", import.meta.resolve("tsx"), path.resolve("generator/cli.ts"), "lsp"],
] as const;

export class Editor {
  readonly #root: string;
  readonly #server: ChildProcess;
  readonly #connection: ProtocolConnection;
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();
  readonly #versions = new Map<string, number>();
  #published: () => void = () => undefined;

  /** Starts the server in the folder `root`. */
  constructor(
    root: string,
    [command, ...args]: readonly [string, ...string[]] = FROM_SOURCE,
    env = process.env,
  ) {
    this.#root = root;
    this.#server = spawn(command, args, { cwd: root, env, stdio: ["pipe", "pipe", "inherit"] });
    const { stdin, stdout } = this.#server;
    if (!stdin || !stdout) throw new Error("the server has no streams");
    this.#connection = createProtocolConnection(
      new StreamMessageReader(stdout),
      new StreamMessageWriter(stdin),
    );
    this.#connection.onNotification(
      "textDocument/publishDiagnostics",
      ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
        this.#diagnostics.set(uri, diagnostics);
        this.#published();
      },
    );
    this.#connection.listen();
  }

  async initialize(): Promise<{ capabilities: object; serverInfo?: { name: string } }> {
    const parameters = { processId: process.pid, rootUri: this.toUri("."), capabilities: {} };
    const result = await this.#connection.sendRequest("initialize", parameters);
    await this.#connection.sendNotification("initialized", {});
    return result as never;
  }

  /** Ends the server as an editor does, and returns its exit code. */
  async close(): Promise<number | null> {
    await this.#connection.sendRequest("shutdown");
    const ended = new Promise<number | null>((resolve) => this.#server.once("exit", resolve));
    await this.#connection.sendNotification("exit");
    const exitCode = await ended;
    this.#connection.dispose();
    return exitCode;
  }

  toUri(file: string): string {
    return pathToFileURL(path.join(this.#root, file)).href;
  }

  read(file: string): string {
    return readFileSync(path.join(this.#root, file), "utf8");
  }

  /** Opens a file, with another text than that on the disk. */
  async open(file: string, text = this.read(file)): Promise<void> {
    const textDocument = { uri: this.toUri(file), languageId: "json", version: 1, text };
    this.#versions.set(file, 1);
    await this.#connection.sendNotification("textDocument/didOpen", { textDocument });
  }

  async type(file: string, text: string): Promise<void> {
    const version = (this.#versions.get(file) ?? 0) + 1;
    this.#versions.set(file, version);
    await this.#connection.sendNotification("textDocument/didChange", {
      textDocument: { uri: this.toUri(file), version },
      contentChanges: [{ text }],
    });
  }

  async closeFile(file: string): Promise<void> {
    await this.#connection.sendNotification("textDocument/didClose", {
      textDocument: { uri: this.toUri(file) },
    });
  }

  /** Says that files on the disk have changed. */
  async noteChangedFiles(): Promise<void> {
    await this.#connection.sendNotification("workspace/didChangeWatchedFiles", { changes: [] });
  }

  /** Resolves to the diagnostics of a file when `isWanted` is true for them. */
  async waitFor(
    file: string,
    isWanted: (rules: readonly string[]) => boolean,
  ): Promise<readonly Diagnostic[]> {
    for (;;) {
      const diagnostics = this.#diagnostics.get(this.toUri(file));
      if (diagnostics !== undefined && isWanted(diagnostics.map(({ code }) => String(code))))
        return diagnostics;
      await new Promise<void>((resolve) => {
        this.#published = resolve;
      });
    }
  }

  /** Returns all diagnostics that are shown, by the path of their file. */
  listDiagnostics(): { readonly [file: string]: readonly Diagnostic[] } {
    return Object.fromEntries(
      [...this.#diagnostics]
        .filter(([, list]) => list.length > 0)
        .map(([uri, list]) => [path.relative(this.#root, fileURLToPath(uri)), list]),
    );
  }

  async listActions(file: string, range: Range): Promise<CodeAction[]> {
    const textDocument = { uri: this.toUri(file) };
    return this.#connection.sendRequest("textDocument/codeAction", {
      ...{ textDocument, range, context: { diagnostics: [] } },
    });
  }

  async hover(file: string, position: Position): Promise<string | undefined> {
    const textDocument = { uri: this.toUri(file) };
    const hover: Hover | null = await this.#connection.sendRequest("textDocument/hover", {
      ...{ textDocument, position },
    });
    return hover === null ? undefined : (hover.contents as { value: string }).value;
  }

  async prepareRename(file: string, position: Position): Promise<Range | null> {
    const textDocument = { uri: this.toUri(file) };
    return this.#connection.sendRequest("textDocument/prepareRename", { textDocument, position });
  }

  async rename(file: string, position: Position, newName: string): Promise<WorkspaceEdit> {
    const textDocument = { uri: this.toUri(file) };
    return this.#connection.sendRequest("textDocument/rename", { textDocument, position, newName });
  }

  /** Applies an edit to the texts of files, `texts` in place of those on the disk, and writes the results. */
  apply({ documentChanges = [] }: WorkspaceEdit, texts: { readonly [file: string]: string } = {}): void {
    for (const change of documentChanges) {
      if (!("textDocument" in change)) continue;
      const file = path.relative(this.#root, fileURLToPath(change.textDocument.uri));
      const isNew = documentChanges.some(
        (each) => "kind" in each && each.kind === "create" && each.uri === change.textDocument.uri,
      );
      const before = isNew ? "" : (texts[file] ?? this.read(file));
      const edits = change.edits.filter((edit) => "newText" in edit);
      mkdirSync(path.dirname(path.join(this.#root, file)), { recursive: true });
      writeFileSync(
        path.join(this.#root, file),
        TextDocument.applyEdits(TextDocument.create("", "json", 0, before), edits),
      );
    }
  }
}

/** Returns the position after the `skip`-th character of the first occurrence of a text. */
export function locate(text: string, wanted: string, skip = 1): Position {
  const offset = text.indexOf(wanted);
  if (offset < 0) throw new Error(`the text does not hold ${wanted}`);
  return TextDocument.create("", "json", 0, text).positionAt(offset + skip);
}
