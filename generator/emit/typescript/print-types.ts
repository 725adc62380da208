/**
 * Prints the syntax trees of types that json-schema-to-typescript made. Each member is on a line of its own, and fields have
 * their names from the schema. A formatter would take longer than everything else.
 */
import { ts } from "ts-morph";
import { decodeFieldName, formatTypeKey } from "./type-schema.js";

/** Returns a doc comment with a line feed after it; an empty text for an empty text. */
export function printDoc(text: string): string {
  if (text === "") return "";
  if (!text.includes("\n")) return `/** ${text} */\n`;
  const lines = text.split("\n").map((line) => (line === "" ? " *\n" : ` * ${line}\n`));
  return `/**\n${lines.join("")} */\n`;
}

/**
 * Returns the code of `type`. The first line is not indented; all others are indented by at least `indent`. Only object types
 * that json-schema-to-typescript made of properties have several lines.
 */
export function printType(type: ts.Node, indent = ""): string {
  const text = type.getText();
  if (!text.includes("\n")) return text;
  if (ts.isTypeLiteralNode(type))
    return `{\n${printMembers(type.members, printType, indent).join("")}${indent}}`;
  const source = type.getSourceFile().text;
  let printedText = "";
  let end = type.getStart();
  ts.forEachChild(type, (child) => {
    const separator = source.slice(end, child.getStart());
    printedText += (separator === "|" ? " | " : separator) + printType(child, indent);
    end = child.end;
  });
  return printedText + source.slice(end, type.end);
}

/** Returns the code of `type` without parentheses around the whole. */
export function printUnparenthesized(type: ts.Node, indent = ""): string {
  return printType(ts.isParenthesizedTypeNode(type) ? type.type : type, indent);
}

/** Returns the code of each of `members`, with its doc comment and a line feed. `print` prints its type. */
export function printMembers(
  members: readonly ts.TypeElement[],
  print: typeof printType,
  outer = "",
): string[] {
  const indent = `${outer}  `;
  return members.map(
    (member) => `${printMemberDoc(readDoc(member), indent)}${indent}${printMember(member, print, indent)};\n`,
  );
}

/** Returns the text of the doc comment before `member`, which json-schema-to-typescript writes on lines of its own. */
export function readDoc(member: ts.TypeElement): string {
  return ts
    .getJSDocCommentsAndTags(member)
    .filter(ts.isJSDoc)
    .flatMap((comment) => comment.getText().split("\n").slice(1, -1))
    .map((line) => line.trim().slice(2))
    .join("\n");
}

/** Returns a doc comment for a member that is indented by `indent`; an empty text for an empty text. */
export function printMemberDoc(text: string, indent: string): string {
  if (text === "") return "";
  const lines = text.split("\n").map((line) => `${indent} * ${line}`.trimEnd());
  return `${[`${indent}/**`, ...lines, `${indent} */`].join("\n")}\n`;
}

function printMember(member: ts.TypeElement, print: typeof printType, indent: string): string {
  if (ts.isIndexSignatureDeclaration(member))
    return `[${member.parameters.map((key) => key.getText()).join(", ")}]: ${print(member.type, indent)}`;
  if (!ts.isPropertySignature(member) || member.type === undefined)
    throw new Error(`json-schema-to-typescript wrote an unknown kind of member: ${member.getText()}`);
  const mark = member.questionToken === undefined ? "" : "?";
  return `${printKey(member.name)}${mark}: ${print(member.type, indent)}`;
}

/** Prints the name of a field as the schema has it. The keys of literal objects are strings, which are printed unchanged. */
function printKey(name: ts.PropertyName): string {
  return ts.isIdentifier(name) ? formatTypeKey(decodeFieldName(name.text)) : name.getText();
}
