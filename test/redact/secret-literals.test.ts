/** If this fails, `accrete validate` and `accrete redact` miss secrets, because these lack what is searched for first. */
import fc from "fast-check";
import { DFA, isDisjointWith, JS, NFA, visitAst } from "refa";
import { describe, expect, it } from "vitest";
import { mayHoldSecrets } from "../../generator/redact/find-secrets.js";
import { FORMS, SECRET_FIELD } from "../../generator/redact/secret-forms.js";
import { parsePattern } from "../../generator/regex/parse-pattern.js";
import { PLANTED_SECRETS } from "./planted-secrets.js";

const MAX_CHARACTER = 0xffff;

/** Parses a regular expression. Counts above 20 become unlimited, so that its automaton stays small and accepts more. */
function parseLoosely(source: string, flags: string): JS.ParseResult["expression"] {
  const parsed = parsePattern(source, flags);
  if (parsed === undefined) throw new Error(`not a pattern: ${source}`);
  const { expression } = JS.Parser.fromAst(parsed).parse({ backreferences: "throw" });
  visitAst(expression, {
    onQuantifierEnter(node) {
      if (node.max > 20) node.max = Number.POSITIVE_INFINITY;
    },
  });
  return expression;
}

/** Returns whether each word of a regular expression, without its assertions, is a word of another one. */
function isSubset(source: string, flags: string, other: string): boolean {
  const options = { maxCharacter: MAX_CHARACTER };
  const words = NFA.fromRegex(parseLoosely(source, flags), options, { assertions: "ignore" });
  const otherWords = DFA.fromFA(NFA.fromRegex(parseLoosely(other, "i"), options));
  otherWords.complement();
  return isDisjointWith(words, otherWords);
}

const escapePattern = (text: string): string => text.replace(/[\\/.$*+?()[\]{}|]/g, "\\$&");

describe("each match contains a literal", () => {
  it.each([...FORMS, { id: "secret-field", ...SECRET_FIELD }])("of the form $id", (form) => {
    const { literals, pattern, beginsWord, endsWord } = form;
    const literal = `(?:${literals.map(escapePattern).join("|")})`;
    const before = beginsWord ? "(?:[^]*[^a-z0-9])" : "[^]*";
    const after = endsWord ? "(?:[^a-z0-9][^]*)?" : "[^]*";
    // A match that must begin with a word stands behind a blank here, in place of the assertion with which it begins.
    if (beginsWord) expect(pattern.source).toMatch(/^(?:\\b|\^|\(\?<!\[A-Za-z0-9\]\))/);
    const source = `${beginsWord ? " " : ""}(?:${pattern.source})`;
    expect(isSubset(source, pattern.flags.replaceAll(/[dg]/g, ""), before + literal + after)).toBe(true);
  });
});

/** Texts before a secret whose last character is escaped in JSON, or can be. */
const BEFORE = ["", "a\n", "a\t", "\u001b", "é", "—", '"', "\\", "/"];

describe("a JSON text with a secret", () => {
  it.each(Object.entries(PLANTED_SECRETS))("may hold %s, however it is escaped", (_form, { text }) => {
    const characters = [...text];
    const escapeCharacter = (character: string): string =>
      character === "/" ? "\\/" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    fc.assert(
      fc.property(
        fc.constantFrom(...BEFORE),
        fc.array(fc.nat(text.length - 1), { maxLength: 3 }),
        (before, at) => {
          const escaped = characters.map((each, i) =>
            at.includes(i) ? escapeCharacter(each) : JSON.stringify(each).slice(1, -1),
          );
          const beginnings = [
            JSON.stringify(before).slice(1, -1),
            [...before].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
          ];
          for (const beginning of beginnings) {
            const json = `{"x":"${beginning}${escaped.join("")}"}`;
            expect(JSON.parse(json).x).toBe(before + text);
            expect(mayHoldSecrets(Buffer.from(json)), json).toBe(true);
          }
        },
      ),
    );
  });

  it.each([
    "password",
    "client_secret",
    "X-Api-Key",
    "accessToken",
    "auth_token",
    "privatekey",
    "Authorization",
  ])("may be in the field %s", (name) => {
    expect(mayHoldSecrets(Buffer.from(JSON.stringify({ [name]: "q" })))).toBe(true);
  });

  it.each([
    "task_01KQPNTT1GTJ3AC5ZEVH35HMX1",
    "input_tokens",
    "secrets",
    "\u001b[0m",
    "keyboard",
    "fork_of",
    "disk-1",
  ])("may not be %s, so that most events are not parsed", (text) => {
    expect(mayHoldSecrets(Buffer.from(JSON.stringify({ [text]: text })))).toBe(false);
  });
});
