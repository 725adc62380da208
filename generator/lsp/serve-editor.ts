/** A server of the Language Server Protocol: shows the findings of commands in an editor, also about unsaved texts. */
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CodeAction,
  CodeActionKind,
  type Connection,
  createConnection,
  type Diagnostic,
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  type Hover,
  type InitializeResult,
  type Position,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentSyncKind,
  TextDocuments,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { describeFailure, UsageError } from "../failure.js";
import type { Finding } from "../finding.js";
import { type Io, openStreams } from "../io.js";
import { joinPointer } from "../json.js";
import { readConsumers } from "../load/consumer-records.js";
import { loadProtocols } from "../load/load-protocols.js";
import { readOwnManifest } from "../load/own-package.js";
import { CONTRACT_ONLY } from "../load/protocol.js";
import { findRealPath, withUnsavedTexts } from "../load/read-bytes.js";
import type { Protocol } from "../protocol/protocol.js";
import { loadJsonc } from "../source/jsonc-package.js";
import { describePlace } from "./describe-place.js";
import { createDiagnostic } from "./diagnostics.js";
import { type Fix, type FixableFinding, proposeFix } from "./fixes.js";
import { findField, findPart } from "./parts.js";
import { renameField } from "./rename-field.js";
import { createWorkspaceEdit, readText, type Texts } from "./texts.js";

/** The folders of a project, and the answers of commands. */
export interface EditorCommands {
  readonly schemas: string;
  readonly fixtures: string;
  readonly consumers: string;
  /** Returns the findings of `lint` and `compat`, each once; those about all protocols if `ids` is empty. */
  check(ids: readonly string[]): Promise<readonly Finding[]>;
  explainRule(rule: string): string;
}

/** Milliseconds without a change after which the texts are checked. */
const QUIET_MS = 150;

const CAPABILITIES: InitializeResult["capabilities"] = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
  hoverProvider: true,
  renameProvider: { prepareProvider: true },
};

/** Serves an editor over standard input and output, until the editor closes standard input. */
export async function serveEditor(commands: EditorCommands, io: Io): Promise<void> {
  const { input, output, closed } = openStreams(io);
  const connection = createConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  new EditorSession(connection, commands, io).listen();
  await closed;
}

/** The state between the messages of one editor: its texts, and what the last checks found. */
class EditorSession {
  readonly #connection: Connection;
  readonly #commands: EditorCommands;
  readonly #io: Io;
  readonly #documents = new TextDocuments(TextDocument);
  /** The protocols as they were when they last had no errors. */
  readonly #protocols = new Map<string, Protocol>();
  #findings: readonly FixableFinding[] = [];
  #shown = new Map<string, readonly Diagnostic[]>();
  /** The ids of the protocols that have changed since the last check; an empty text stands for all. */
  readonly #changed = new Set<string>([""]);
  #timer: NodeJS.Timeout | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, commands: EditorCommands, io: Io) {
    this.#connection = connection;
    this.#commands = commands;
    this.#io = io;
  }

  listen(): void {
    const connection = this.#connection;
    connection.onInitialize(({ capabilities }): InitializeResult => {
      const canWatch = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration;
      connection.onInitialized(() => {
        if (canWatch) this.#watchFiles();
        this.#noteChange("");
      });
      const serverInfo = { name: "accrete", version: readOwnManifest().version };
      return { capabilities: CAPABILITIES, serverInfo };
    });
    this.#documents.onDidChangeContent(({ document }) => this.#noteChange(this.#findId(document.uri)));
    this.#documents.onDidSave(() => this.#noteChange(""));
    this.#documents.onDidClose(() => this.#noteChange(""));
    connection.onDidChangeWatchedFiles(() => this.#noteChange(""));
    connection.onCodeAction(({ textDocument, range }) =>
      this.#answer(() => this.#listActions(textDocument.uri, range)),
    );
    connection.onHover(({ textDocument, position }) =>
      this.#answer(async () => this.#describe(textDocument.uri, position)),
    );
    connection.onPrepareRename(({ textDocument, position }) =>
      this.#answer(async () => this.#findName(textDocument.uri, position)?.range ?? null),
    );
    connection.onRenameRequest(({ textDocument, position, newName }) =>
      this.#answer(async () => this.#rename(textDocument.uri, position, newName)),
    );
    this.#documents.listen(connection);
    connection.listen();
  }

  #watchFiles(): void {
    const watchers = ["**/*.json", "**/*.jsonl"].map((globPattern) => ({ globPattern }));
    void this.#connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  }

  /** Checks a protocol, or all for an empty text, when no further change has followed. */
  #noteChange(id: string | undefined): void {
    if (id === undefined) return;
    this.#changed.add(id);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#enqueue(() => this.#check()).catch((error) => this.#io.stderr(describeFailure(error).text));
    }, QUIET_MS);
  }

  /** Runs `work` after what was begun before, with the unsaved texts in place of those on the disk. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(() => withUnsavedTexts(this.#listUnsaved(), work));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Answers a request, after a check of what has changed. A wrong request gets the message of a UsageError. */
  #answer<T>(work: () => Promise<T>): Promise<T> {
    const answered = this.#enqueue(async () => {
      await this.#check();
      return work();
    });
    return answered.catch((error) => {
      throw new ResponseError(ErrorCodes.InvalidRequest, describeFailure(error).text.trim());
    });
  }

  /** Returns the open files by their real paths. */
  #listOpen(): ReadonlyMap<string, TextDocument> {
    const files = this.#documents.all().filter(({ uri }) => uri.startsWith("file:"));
    return new Map(files.map((document) => [findRealPath(fileURLToPath(document.uri)), document]));
  }

  #listUnsaved(): Texts {
    return new Map([...this.#listOpen()].map(([file, document]) => [file, document.getText()]));
  }

  /** Returns the id of the protocol to which a file belongs; an empty text if that is not known, and undefined for other files. */
  #findId(uri: string): string | undefined {
    if (!uri.startsWith("file:")) return undefined;
    const file = findRealPath(fileURLToPath(uri));
    for (const folder of [this.#commands.schemas, this.#commands.fixtures]) {
      const relative = path.relative(findRealPath(folder), file);
      if (relative.startsWith("..") || path.isAbsolute(relative)) continue;
      const id = relative.split(path.sep).slice(0, 2).join("/");
      return this.#protocols.has(id) ? id : "";
    }
    return undefined;
  }

  /** Checks what has changed since the last check, and shows what was found. */
  async #check(): Promise<void> {
    const ids = this.#changed.has("") ? [""] : [...this.#changed];
    if (ids.length === 0) return;
    clearTimeout(this.#timer);
    this.#changed.clear();
    for (const id of ids) {
      const found = await this.#findProblems(id);
      const isOfProtocol = ({ at }: Finding): boolean => this.#isFileOf(id, at.file);
      this.#findings =
        id === ""
          ? found
          : [...this.#findings.filter((each) => !isOfProtocol(each)), ...found.filter(isOfProtocol)];
    }
    this.#show();
  }

  #isFileOf(id: string, file: string): boolean {
    const { schemas, fixtures } = this.#commands;
    return [schemas, fixtures].some((folder) => file.startsWith(`${path.posix.join(folder, id)}/`));
  }

  /** Returns the findings of a protocol, or of all for an empty text, and keeps those protocols that have no errors. */
  async #findProblems(id: string): Promise<readonly FixableFinding[]> {
    const ids = id === "" ? [] : [id];
    try {
      const findings = await this.#commands.check(ids);
      const { protocols } = await loadProtocols(this.#commands.schemas, ids, CONTRACT_ONLY);
      for (const protocol of protocols) this.#protocols.set(protocol.id, protocol);
      return findings;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#io.stderr(describeFailure(error).text);
      return [];
    }
  }

  #show(): void {
    const shown = new Map<string, Diagnostic[]>();
    for (const finding of this.#findings) {
      const uri = this.#toUri(finding.at.file);
      shown.set(uri, [...(shown.get(uri) ?? []), this.#createDiagnostic(finding)]);
    }
    for (const uri of new Set([...this.#shown.keys(), ...shown.keys()]))
      void this.#connection.sendDiagnostics({ uri, diagnostics: shown.get(uri) ?? [] });
    this.#shown = shown;
  }

  /** Returns the URI of a file, as the editor writes it if the file is open. */
  #toUri(file: string): string {
    return this.#listOpen().get(findRealPath(file))?.uri ?? pathToFileURL(path.resolve(file)).href;
  }

  /** Returns a quick fix for each edit that makes a finding in a range go away without a new error. */
  async #listActions(uri: string, range: Diagnostic["range"]): Promise<CodeAction[]> {
    const actions: CodeAction[] = [];
    for (const finding of this.#listFindingsIn(uri, range)) {
      const protocol = [...this.#protocols.values()].find(({ id }) => this.#isFileOf(id, finding.at.file));
      if (protocol === undefined) continue;
      const fix = proposeFix(finding, { ...this.#commands, protocol });
      if (fix && (await this.#isBetter(fix, finding, protocol)))
        actions.push({
          title: fix.title,
          kind: CodeActionKind.QuickFix,
          diagnostics: [this.#createDiagnostic(finding)],
          edit: createWorkspaceEdit(fix.texts, (file) => this.#toUri(file)),
        });
    }
    return actions;
  }

  /** Returns the findings in a range, and those about what a release has in place of it. */
  #listFindingsIn(uri: string, { start, end }: Diagnostic["range"]): readonly FixableFinding[] {
    const found = this.#findings.filter((finding) => {
      if (this.#toUri(finding.at.file) !== uri) return false;
      const { range } = this.#createDiagnostic(finding);
      return range.start.line <= end.line && start.line <= range.end.line;
    });
    const isBaseline = ({ at }: Finding): boolean =>
      found.some(({ baseline }) => baseline?.file === at.file && baseline.pointer === at.pointer);
    return [...new Set([...found, ...this.#findings.filter(isBaseline)])];
  }

  #createDiagnostic(finding: Finding): Diagnostic {
    return createDiagnostic(finding, (file) => this.#toUri(file));
  }

  /** Returns whether a finding is gone after an edit, and no error is new. A new file is not checked before it exists. */
  async #isBetter({ texts }: Fix, finding: Finding, { id }: Protocol): Promise<boolean> {
    if ([...texts.keys()].some((file) => readText(file) === undefined)) return true;
    const changed = [...texts].map(([file, text]) => [findRealPath(file), text] as const);
    const unsaved = new Map([...this.#listUnsaved(), ...changed]);
    const after = await withUnsavedTexts(unsaved, () => this.#commands.check([id]));
    const isError = ({ severity }: Finding): boolean => severity === "error";
    const known = new Set(this.#findings.filter(isError).map(identifyFinding));
    const isSame = (each: Finding): boolean => identifyFinding(each) === identifyFinding(finding);
    return !after.some((each) => isSame(each) || (isError(each) && !known.has(identifyFinding(each))));
  }

  /** Returns what stands at a position, and the place of it in a protocol. */
  #locate(uri: string, position: Position) {
    const document = this.#documents.get(uri);
    if (document === undefined || !uri.startsWith("file:")) return undefined;
    const {
      path: tokens,
      previousNode,
      isAtPropertyKey,
    } = loadJsonc().getLocation(document.getText(), document.offsetAt(position));
    const pointer = joinPointer("", ...tokens.filter((token) => token !== ""));
    const place = findPart([...this.#protocols.values()], { file: fileURLToPath(uri), pointer });
    return place && { document, place, name: isAtPropertyKey ? previousNode : undefined };
  }

  /** Returns the explanations of findings at a place, and what readers rely on there. */
  #describe(uri: string, position: Position): Hover | null {
    const { line, character } = position;
    const found = (this.#shown.get(uri) ?? []).filter(
      ({ range: { start, end } }) =>
        start.line === line && start.character <= character && character <= end.character,
    );
    const rules = new Set(found.map(({ code }) => String(code)));
    const place = this.#locate(uri, position)?.place;
    const { records } = readConsumers(this.#commands.consumers);
    const texts = [
      ...(place ? [describePlace(place, records)] : []),
      ...[...rules].map((rule) => `\`\`\`text\n${this.#commands.explainRule(rule)}\`\`\``),
    ].filter((text) => text !== undefined);
    return texts.length === 0 ? null : { contents: { kind: "markdown", value: texts.join("\n\n---\n\n") } };
  }

  /** Returns the field whose name is at a position, and the range of the name; undefined if there is none. */
  #findName(uri: string, position: Position) {
    const { document, place, name } = this.#locate(uri, position) ?? {};
    const field = place && findField(place.pointer);
    if (!document || !field || name?.value !== field.name) return undefined;
    const start = document.positionAt(name.offset + 1);
    return { place, field, range: { start, end: document.positionAt(name.offset + name.length - 1) } };
  }

  #rename(uri: string, position: Position, newName: string): WorkspaceEdit {
    const found = this.#findName(uri, position);
    if (found === undefined) throw new UsageError("There is no name of a field here.");
    const project = { ...this.#commands, protocol: found.place.protocol };
    const texts = renameField(found.place, found.field, newName, project);
    return createWorkspaceEdit(texts, (file) => this.#toUri(file));
  }
}

/** Returns what two findings have in common that say the same in two versions of a text. */
function identifyFinding({ rule, at, message, fingerprint }: Finding): string {
  return fingerprint ?? JSON.stringify([rule, at.file, at.pointer, message]);
}
