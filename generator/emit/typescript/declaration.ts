/** Prints the declarations of types.ts. ts-morph writes them and checks their syntax. */
import type {
  InterfaceDeclarationStructure,
  OptionalKind,
  PropertySignatureStructure,
  TypeAliasDeclarationStructure,
} from "ts-morph";
import type { Pieces } from "../../cache/pieces.js";
import { sha256Hex } from "../../sha256.js";
import { loadTsMorph } from "./type-libraries.js";

/** A member of an interface. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly doc?: string;
  readonly isRequired?: boolean;
}

/** An exported declaration, as data: an interface if it has members, and else an alias of a type. */
export interface Declaration {
  readonly name: string;
  readonly doc: string;
  readonly members?: readonly Member[];
  /** The interfaces that an interface extends. */
  readonly bases?: readonly string[];
  /** The type that an alias names. */
  readonly type?: string;
}

/** Returns the code of the declarations. Those that are among the pieces are not printed again. */
export function printDeclarations(declarations: readonly Declaration[], pieces: Pieces | undefined): string {
  const keyed = declarations.map((declaration) => ({
    declaration,
    key: pieces === undefined ? "" : `printed ${sha256Hex(JSON.stringify(declaration))}`,
  }));
  const known = keyed.map(({ key }) => pieces?.find(key));
  const missing = keyed.filter((_, index) => known[index] === undefined);
  const printed = printStatements(missing.map(({ declaration }) => declaration));
  for (const [index, { key }] of missing.entries()) pieces?.add(key, printed[index] ?? "");
  let text = "";
  let printedCount = 0;
  for (const [index, { members }] of declarations.entries()) {
    // Aliases stand on lines that follow each other, as ts-morph writes them.
    const isBesideInterface = members !== undefined || declarations[index - 1]?.members !== undefined;
    text +=
      (index === 0 ? "" : isBesideInterface ? "\n\n" : "\n") + (known[index] ?? printed[printedCount++]);
  }
  return `${text}\n`;
}

/** Returns the code of each declaration. */
function printStatements(declarations: readonly Declaration[]): string[] {
  if (declarations.length === 0) return [];
  const { IndentationText, Project } = loadTsMorph();
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: { indentationText: IndentationText.TwoSpaces },
  });
  const statements = declarations.map(createStructure);
  const file = project.createSourceFile("types.ts", { statements });
  const [error] = project.getProgram().getSyntacticDiagnostics(file);
  if (error) throw new Error(`types.ts:${error.getLineNumber()}: ${error.getMessageText()}`);
  const { text, statements: nodes } = file.compilerNode;
  if (nodes.length !== declarations.length)
    throw new Error("types.ts has other declarations than it was given");
  return nodes.map(({ pos, end }) => text.slice(pos, end).replaceAll("\r", "\n").trim());
}

function createStructure({
  name,
  doc,
  members,
  bases = [],
  type = "",
}: Declaration): InterfaceDeclarationStructure | TypeAliasDeclarationStructure {
  const { StructureKind } = loadTsMorph();
  const common = { isExported: true, name, docs: listDocs(doc) };
  return members === undefined
    ? { ...common, kind: StructureKind.TypeAlias, type: indentType(type) }
    : {
        ...common,
        kind: StructureKind.Interface,
        extends: [...bases],
        properties: members.map(createProperty),
      };
}

function createProperty({
  name,
  type,
  doc = "",
  isRequired = true,
}: Member): OptionalKind<PropertySignatureStructure> {
  return {
    name,
    type: indentType(type, "  "),
    hasQuestionToken: !isRequired,
    // The comment of a member is on lines of its own.
    docs: listDocs(doc === "" ? "" : `\n${doc}`),
  };
}

/** Indents the further lines of a type. ts-morph would indent them more, but sees no line end in a carriage return. */
function indentType(type: string, indent = ""): string {
  return type.replaceAll("\n", `\r${indent}`);
}

function listDocs(doc: string): string[] {
  return doc === "" ? [] : [doc];
}
