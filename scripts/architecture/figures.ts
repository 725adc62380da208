/** Measures the sources of generator/: files by component, small files with one importer, lengths of functions, unused exports. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ts } from "ts-morph";
import { findSource, type Source } from "./sources.js";

/** A named function and how many lines it takes, its signature included. */
export interface FunctionLength {
  readonly file: string;
  readonly name: string;
  readonly lines: number;
}

/** Figures about the sources. */
export interface Figures {
  /** Lines and files of each folder of generator/, inner folders counted by themselves. */
  readonly components: ReadonlyMap<string, { readonly files: number; readonly lines: number }>;
  /** Files under 40 lines that one other file imports. */
  readonly smallFilesWithOneImporter: readonly string[];
  /** All named functions, the longest first. */
  readonly functions: readonly FunctionLength[];
  /** Exported names that no other file of the project imports, as `file: name`. */
  readonly unusedExports: readonly string[];
}

/** Entry points of the package, whose exports are for users. */
const ENTRIES = [
  "index.ts",
  "stream/index.ts",
  "kit/index.ts",
  "react/index.ts",
  "kit/checker.ts",
  "acp/index.ts",
  "view/index.ts",
  "serve/index.ts",
  "runtime/runtime.d.ts",
  "runtime/runtime.js",
  "scan/assembly/scanner.ts",
];

/** The parts of the project that may use an export of generator/. */
const USERS = ["generator", "scripts", "test"];

const root = path.join(import.meta.dirname, "..", "..");

/** Measures the sources on the disk. */
export function measureSources(sources: readonly Source[]): Figures {
  const trees = new Map(sources.map(({ file, text }) => [file, parse(file, text)]));
  return {
    components: countComponents(sources),
    smallFilesWithOneImporter: findSmallFiles(sources),
    functions: [...trees]
      .flatMap(([file, tree]) => measureFunctions(file, tree))
      .sort((a, b) => b.lines - a.lines),
    unusedExports: findUnusedExports(trees),
  };
}

/** Formats the figures as a table for a terminal. */
export function formatFigures({
  components,
  smallFilesWithOneImporter,
  functions,
  unusedExports,
}: Figures): string {
  const ninetieth = functions[Math.floor(functions.length / 10)]?.lines ?? 0;
  const [longest] = functions;
  return [
    "files  lines  component",
    ...[...components].map(
      ([component, { files, lines }]) =>
        `${String(files).padStart(5)}  ${String(lines).padStart(5)}  ${component}`,
    ),
    "",
    `files under 40 lines with one importer: ${smallFilesWithOneImporter.length}`,
    ...smallFilesWithOneImporter.map((file) => `  ${file}`),
    `named functions: ${functions.length}, 90 % of them with at most ${ninetieth} lines`,
    `longest function: ${longest?.name} in ${longest?.file}, ${longest?.lines} lines`,
    `exported names that no other file uses: ${unusedExports.length}`,
    ...unusedExports.map((name) => `  ${name}`),
  ].join("\n");
}

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

function countComponents(sources: readonly Source[]): Figures["components"] {
  const components = new Map<string, { files: number; lines: number }>();
  for (const { file, text } of sources) {
    const folder = path.posix.dirname(file);
    const component = components.get(folder) ?? { files: 0, lines: 0 };
    components.set(folder, { files: component.files + 1, lines: component.lines + countLines(text) });
  }
  return new Map([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function findSmallFiles(sources: readonly Source[]): string[] {
  const importers = new Map<string, number>();
  for (const target of sources.flatMap(({ imports }) => [...new Set(imports)]))
    importers.set(target, (importers.get(target) ?? 0) + 1);
  return sources
    .filter(({ file, text }) => importers.get(file) === 1 && countLines(text) < 40 && !ENTRIES.includes(file))
    .map(({ file }) => file);
}

/** Measures named functions: declarations, methods, and functions that a variable or a property holds. */
function measureFunctions(file: string, tree: ts.SourceFile): FunctionLength[] {
  const found: FunctionLength[] = [];
  const getLine = (position: number): number => tree.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    const name = getFunctionName(node);
    if (name !== undefined)
      found.push({ file, name, lines: getLine(node.getEnd()) - getLine(node.getStart()) + 1 });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function getFunctionName(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    return node.body && node.name?.getText();
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
    const holder = node.parent;
    if (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder)) return holder.name.getText();
  }
  return undefined;
}

function findUnusedExports(trees: ReadonlyMap<string, ts.SourceFile>): string[] {
  const used = readUsedNames();
  return [...trees].flatMap(([file, tree]) =>
    ENTRIES.includes(file)
      ? []
      : listExportedNames(tree)
          .filter((name) => !used.has(`${file}#${name}`) && !used.has(`${file}#*`))
          .map((name) => `${file}: ${name}`),
  );
}

function listExportedNames(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap((statement): string[] => {
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => listBoundNames(name));
    return "name" in statement ? [(statement.name as ts.Identifier).getText()] : [];
  });
}

function listBoundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) =>
    ts.isBindingElement(element) ? listBoundNames(element.name) : [],
  );
}

/**
 * Returns every name that a file imports, exports again or adds members to, as `file#name`;
 * `file#*` if a file imports all names of another.
 */
function readUsedNames(): Set<string> {
  const used = new Set<string>();
  for (const folder of USERS)
    for (const file of readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.(ts|mjs|js)$/.test(file)) continue;
      const place = path.posix.join(folder, file.split(path.sep).join("/"));
      for (const name of listImportedNames(parse(place, readFileSync(path.join(root, place), "utf8"))))
        used.add(name);
    }
  return used;
}

function listImportedNames(tree: ts.SourceFile): string[] {
  const names: string[] = [];
  const addImports = (specifier: ts.Expression | undefined, imported: readonly string[]): void => {
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return;
    const file = path.posix.join(path.posix.dirname(tree.fileName), specifier.text);
    const target = findSource(path.posix.relative("generator", file));
    names.push(...imported.map((name) => `${target}#${name}`));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) addImports(node.moduleSpecifier, listBindings(node.importClause));
    if (ts.isExportDeclaration(node))
      addImports(
        node.moduleSpecifier,
        node.exportClause && ts.isNamedExports(node.exportClause)
          ? listElementNames(node.exportClause)
          : ["*"],
      );
    if (ts.isModuleDeclaration(node) && node.body && ts.isModuleBlock(node.body))
      addImports(node.name as ts.Expression, listDeclaredNames(node.body));
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      addImports(node.arguments[0], ["*"]);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      addImports(node.argument.literal as ts.StringLiteral, ["*"]);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return names;
}

/** Returns the interfaces that a block such as `declare module "./finding.js" { … }` adds members to. */
function listDeclaredNames({ statements }: ts.ModuleBlock): string[] {
  return statements.flatMap((statement) =>
    ts.isInterfaceDeclaration(statement) ? [statement.name.text] : [],
  );
}

function listBindings(clause: ts.ImportClause | undefined): string[] {
  const bindings = clause?.namedBindings;
  if (bindings === undefined) return [];
  return ts.isNamedImports(bindings) ? listElementNames(bindings) : ["*"];
}

function listElementNames({ elements }: ts.NamedImports | ts.NamedExports): string[] {
  return elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}
