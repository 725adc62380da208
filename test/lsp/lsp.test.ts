/** If this fails, an editor shows other findings than the command line, offers an edit that breaks something, or shows nothing. */
import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { runAccrete } from "../commands/run-in-process.js";
import { chooseCases, quick } from "../depth.js";
import { createSharedFolder, readTree, writeFiles } from "../folders.js";
import { Editor, locate } from "./editor.js";

const root = createSharedFolder();
const NOTE = "schemas/notes/v1/events/note.added.schema.json";
const PINNED = "schemas/notes/v1/events/note.pinned.schema.json";
const MANIFEST = "schemas/notes/v1/protocol.json";
const RELEASE = "schemas/notes/v1/releases/1.0.json";
const folders = ["schemas", "fixtures"].flatMap((name) => [`--${name}`, path.join(root, name)]);
const editor = new Editor(root);
let files: { readonly [file: string]: string };

/** The schema of the other event types of the project, which are experimental. */
const pinned = {
  title: "A note was pinned",
  description: "Sent when a note is pinned.",
  "x-stability": "experimental",
  "x-since": "1.0",
  type: "object",
  properties: {
    place: { type: "string", enum: ["top", "bottom"], description: "Where the note is." },
    size: { type: "integer", description: "The size of the pin." },
    by: { $ref: "../shared/person.schema.json", description: "Who pinned it." },
  },
  examples: [{ place: "top", size: 1 }],
};

/** Returns the schema and the fixtures of an event type with the payload of `pinned`. */
function createEventFiles(type: string): { readonly [file: string]: string } {
  const event = { type, id: "a", session: "b", sequence: 0, time: "2026-01-01T09:00:00Z" };
  const invalid = { why: "The size is a text.", profile: "reader", pointer: "/data/size", keyword: "type" };
  return {
    [`schemas/notes/v1/events/${type}.schema.json`]: toText(pinned),
    [`fixtures/notes/v1/valid/${type}/top.json`]: toText({ ...event, data: { place: "top" } }),
    [`fixtures/notes/v1/invalid/${type}/size.json`]: toText({
      ...invalid,
      event: { ...event, data: { size: "a" } },
    }),
  };
}

/** Runs a command in the project, and returns its findings with paths relative to it. */
async function listFindings(command: string): Promise<Finding[]> {
  const { stdout } = await runAccrete([command, ...folders, "--format", "json"]);
  return JSON.parse(stdout.replaceAll(`${root}/`, "")).findings;
}

/** Returns the errors of lint and compat about the files on the disk. */
async function listErrors(): Promise<string[]> {
  const findings = [...(await listFindings("lint")), ...(await listFindings("compat"))];
  return findings
    .filter(({ severity }) => severity === "error")
    .map(({ rule, message }) => `${rule} ${message}`);
}

const toText = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
const parse = (file: string) => JSON.parse(files[file] ?? "");

beforeAll(async () => {
  await runAccrete(["init", root, "--name", "notes"]);
  const person = { title: "A person", description: "A person.", type: "object" };
  const properties = { name: { type: "string", description: "The name." } };
  writeFiles(root, {
    "schemas/notes/v1/shared/person.schema.json": toText({ ...person, properties }),
    ...createEventFiles("note.pinned"),
    ...createEventFiles("note.moved"),
  });
  const out = ["--out", path.join(root, "generated")];
  expect(await runAccrete(["generate", ...folders, ...out])).toMatchObject({ exitCode: 0 });
  expect(await runAccrete(["release", "1.0", "notes/v1", ...folders, ...out])).toMatchObject({ exitCode: 0 });
  files = readTree(root);
  const { serverInfo, capabilities } = await editor.initialize();
  expect(serverInfo).toMatchObject({ name: "accrete" });
  expect(capabilities).toMatchObject({ hoverProvider: true, renameProvider: { prepareProvider: true } });
});
beforeEach(() => writeFiles(root, files));
afterAll(async () => {
  expect(await editor.close()).toBe(0);
});

/** Shows a text in the editor, until `use` is done. */
async function withText<T>(file: string, text: string, use: () => Promise<T>): Promise<T> {
  await editor.open(file, text);
  try {
    return await use();
  } finally {
    await editor.closeFile(file);
    await editor.waitFor(file, (rules) => rules.length === 0);
  }
}

describe("diagnostics", () => {
  quick.it("are those of lint and compat, also about a text that is not saved", async () => {
    const text = files[NOTE]?.replaceAll('"text"', '"note_text"') ?? "";
    const shown = await withText(NOTE, text, async () => {
      await editor.waitFor(NOTE, (rules) => rules.includes("field-renamed"));
      await editor.waitFor(MANIFEST, (rules) => rules.includes("version-bump-insufficient"));
      return editor.listDiagnostics();
    });
    expect(editor.read(NOTE)).toBe(files[NOTE]);
    writeFiles(root, { [NOTE]: text });
    const expected = [...(await listFindings("lint")), ...(await listFindings("compat"))];
    const list = (findings: readonly Finding[]) =>
      findings.map(({ at, rule, severity, message }) => [
        at.file,
        at.line,
        at.column,
        rule,
        severity,
        message,
      ]);
    const severities = [undefined, "error", "warning", "note"];
    const actual = Object.entries(shown).flatMap(([file, diagnostics]) =>
      diagnostics.map(({ range: { start }, code, severity = 0, message }) => [
        ...[
          file,
          start.line + 1,
          start.character + 1,
          code,
          severities[severity],
          String(message).split("\n")[0],
        ],
      ]),
    );
    expect(actual.sort()).toEqual(list(expected).sort());
    expect(actual.map(([, , , rule]) => rule)).toContain("fixture-wrong");
  });

  quick.it("follow the typing: a syntax error comes and goes", async () => {
    await withText(NOTE, files[NOTE] ?? "", async () => {
      await editor.type(NOTE, "{");
      const shown = await editor.waitFor(NOTE, (rules) => rules.includes("json-syntax"));
      expect(shown).toMatchObject([{ code: "json-syntax", source: "accrete", severity: 1 }]);
      await editor.type(NOTE, files[NOTE] ?? "");
      expect(await editor.waitFor(NOTE, (rules) => rules.length === 0)).toEqual([]);
    });
  });

  quick.it("show the event that a change breaks, the baseline and what to do", async () => {
    const { color: _color, ...properties } = parse(NOTE).properties;
    const text = toText({ ...parse(NOTE), properties, examples: [{ text: "Buy milk" }] });
    await withText(NOTE, text, async () => {
      const [diagnostic] = await editor.waitFor(NOTE, (rules) => rules.includes("field-removed-optional"));
      expect(diagnostic?.message).toMatch(/\nevent {"data":{"color":[\s\S]*\nKeep the field, deprecated/);
      expect(diagnostic?.relatedInformation?.[0]?.location).toMatchObject({
        uri: editor.toUri(RELEASE),
      });
    });
  });
});

/** Changes of the project, and the fix of the finding that each of them gives. */
const FIXES: readonly {
  readonly rule: string;
  /** The rule of the finding at which the editor asks, if it is another one. */
  readonly asked?: string;
  readonly file: string;
  readonly change: () => unknown;
  readonly title: string;
  readonly expected: () => unknown;
}[] = [
  {
    rule: "field-removed-optional",
    file: NOTE,
    change: () => {
      const { color: _color, ...properties } = parse(NOTE).properties;
      return { ...parse(NOTE), properties, examples: [{ text: "Buy milk" }] };
    },
    title: 'Restore "color", deprecated',
    expected: () => ({
      properties: {
        color: { deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": null, type: "string" },
      },
    }),
  },
  {
    rule: "field-removed-required",
    file: NOTE,
    change: () => {
      const { text: _text, ...properties } = parse(NOTE).properties;
      return { ...parse(NOTE), properties, required: [], examples: [{ color: "yellow" }] };
    },
    title: 'Restore "text", deprecated',
    expected: () => ({
      properties: { text: { deprecated: true } },
      required: ["text"],
      examples: [{ text: "Buy milk" }],
    }),
  },
  {
    rule: "field-renamed",
    file: NOTE,
    change: () => JSON.parse(files[NOTE]?.replaceAll('"text"', '"note_text"') ?? ""),
    title: 'Restore "text", deprecated',
    expected: () => ({
      properties: {
        note_text: { "x-renamed-from": "text" },
        text: { deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": "note_text" },
      },
      required: ["text"],
      examples: [{ note_text: "Buy milk", text: "Buy milk" }],
    }),
  },
  {
    rule: "field-added-required",
    file: NOTE,
    change: () => ({
      ...parse(NOTE),
      properties: { ...parse(NOTE).properties, size: { type: "integer", description: "How large." } },
      required: ["text", "size"],
      examples: [{ text: "Buy milk", size: 1 }],
    }),
    title: 'Make "size" optional',
    expected: () => ({ required: ["text"] }),
  },
  {
    rule: "enum-closed",
    file: NOTE,
    change: () => JSON.parse(files[NOTE]?.replace("x-extensible-enum", "enum") ?? ""),
    title: "Mark the enum as open",
    expected: () => ({ properties: { color: { "x-extensible-enum": ["yellow", "blue"] } } }),
  },
  {
    rule: "tombstone-missing",
    asked: "field-removed-optional",
    file: PINNED,
    change: () => ({
      ...pinned,
      properties: { place: pinned.properties.place, by: pinned.properties.by },
      examples: [{ place: "top" }],
    }),
    title: "Add a tombstone",
    expected: () => ({}),
  },
];

/** Returns the edit of a quick fix for a finding of a rule that the editor shows in a file. */
async function findFix(rule: string, file: string, title: string, asked = rule) {
  const shown = await editor.waitFor(file, (rules) => rules.includes(asked));
  const place = shown.find(({ code }) => code === asked);
  const actions = await editor.listActions(file, place?.range ?? { start: TOP, end: TOP });
  const action = actions.find((each) => each.title === title && each.diagnostics?.[0]?.code === rule);
  expect(action).toMatchObject({ kind: "quickfix" });
  const errors = Object.values(editor.listDiagnostics())
    .flat()
    .map(({ code, message }) => `${code} ${String(message).split("\n")[0]}`);
  return { edit: action?.edit ?? {}, errors };
}

const TOP = { line: 0, character: 0 };

/** Applies an edit, and checks that the findings of a rule are gone and the only errors are those that the editor showed. */
async function checkEdit(rule: string, { edit, errors }: Awaited<ReturnType<typeof findFix>>): Promise<void> {
  editor.apply(edit);
  const after = await listErrors();
  expect(after.filter((error) => !errors.includes(error))).toEqual([]);
  expect(after.filter((error) => error.startsWith(`${rule} `))).toEqual([]);
}

describe("quick fixes", () => {
  it.each(chooseCases(FIXES, 2, 1))(
    "fixes $rule without a new error",
    async ({ rule, asked, file, change, title, expected }) => {
      const text = toText(change());
      const edit = await withText(file, text, () => findFix(rule, file, title, asked));
      writeFiles(root, { [file]: text });
      await checkEdit(rule, edit);
      expect(JSON.parse(editor.read(file))).toMatchObject(expected() as object);
    },
  );

  quick.it.each([
    ["event-removed", 'Restore "note.pinned", deprecated'],
    ["tombstone-missing", "Add a tombstone"],
  ])("fixes the %s of an event type whose file was deleted", async (rule, title) => {
    rmSync(path.join(root, PINNED));
    await editor.noteChangedFiles();
    await checkEdit(rule, await findFix(rule, RELEASE, title));
    if (rule === "event-removed")
      expect(JSON.parse(editor.read(PINNED))).toMatchObject({ ...pinned, deprecated: true });
    writeFiles(root, files);
    await editor.noteChangedFiles();
    await editor.waitFor(RELEASE, (rules) => rules.length === 0);
  });

  quick.it("adds the fixtures that an event type lacks", async () => {
    rmSync(path.join(root, "fixtures/notes/v1/valid/note.pinned"), { recursive: true });
    await editor.noteChangedFiles();
    await checkEdit("x", await findFix("fixture-incomplete", PINNED, "Add a fixture of note.pinned"));
    expect(await listFindings("lint")).toEqual([]);
    rmSync(path.join(root, "fixtures/notes/v1/valid/note.pinned/made.json"));
  });

  quick.it("offers no edit that would break something", async () => {
    const text = files[PINNED]?.replace('"bottom"', '"bottom", "left"') ?? "";
    await withText(PINNED, text, async () => {
      const rule = "enum-value-added-closed";
      const shown = await editor.waitFor(PINNED, (rules) => rules.includes(rule));
      const place = shown.find(({ code }) => code === rule);
      const actions = await editor.listActions(PINNED, place?.range ?? { start: TOP, end: TOP });
      expect(actions).toEqual([]);
    });
  });
});

describe("hover", () => {
  quick.it("says what readers rely on at a field, and everything about an event at its top", async () => {
    await withText(NOTE, files[NOTE] ?? "", async () => {
      const text = files[NOTE] ?? "";
      const field = await editor.hover(NOTE, locate(text, '"text": {'));
      expect(field).toBe(
        "`text`: string; at least 1 character. What the note says.\n\nRequired: yes\n\nnote.added: candidate, since 1.0",
      );
      expect(await editor.hover(NOTE, locate(text, '"minLength"'))).toBe(field);
      const lens = { "note.added": { all: ["/data/text"], none: ["/data/color"] } };
      const record = { version: "1.0", events: ["note.added"], lens };
      writeFiles(root, { "fixtures/consumers.json": toText({ "notes/v1": { "web 1.0": record } }) });
      expect(await editor.hover(NOTE, locate(text, '"text": {'))).toBe(
        `${field}\n\nRecorded consumers that depend on it: "web 1.0"`,
      );
      expect(await editor.hover(NOTE, locate(text, '"color": {'))).not.toMatch(/Recorded/);
      rmSync(path.join(root, "fixtures/consumers.json"));
      expect(await editor.hover(NOTE, locate(text, '"title"'))).toMatch(
        /^### `note\.added`\n[\s\S]*Stability: candidate/,
      );
    });
  });

  quick.it("explains a finding", async () => {
    const text = files[NOTE]?.replace('"minLength"', '"minLenght"') ?? "";
    await withText(NOTE, text, async () => {
      await editor.waitFor(NOTE, (rules) => rules.includes("keyword-unknown"));
      expect(await editor.hover(NOTE, locate(text, '"minLenght"'))).toMatch(
        /\nkeyword-unknown: a keyword is/,
      );
    });
  });
});

describe("rename", () => {
  quick.it("adds the new name beside the old one, which is deprecated", async () => {
    const text = files[NOTE] ?? "";
    const edit = await withText(NOTE, text, async () => {
      const position = locate(text, '"text": {', 3);
      const range = await editor.prepareRename(NOTE, position);
      expect(range).toEqual({ start: locate(text, '"text": {'), end: locate(text, '"text": {', 5) });
      expect(await editor.prepareRename(NOTE, locate(text, '"title"'))).toBeNull();
      await expect(editor.rename(NOTE, position, "color")).rejects.toThrow('"color" cannot be the new name');
      return editor.rename(NOTE, position, "note_text");
    });
    await checkEdit("field-renamed", { edit, errors: [] });
    expect(JSON.parse(editor.read(MANIFEST))).toMatchObject({ version: "1.1" });
    expect(JSON.parse(editor.read(NOTE))).toMatchObject({
      required: ["text"],
      properties: {
        text: { deprecated: true, "x-deprecated-since": "1.1", "x-replaced-by": "note_text" },
        note_text: { "x-renamed-from": "text", type: "string" },
      },
    });
  });

  quick.it("gives a field that no release has another name, and nothing else", async () => {
    const { properties } = pinned;
    const unreleased = { ...properties, size_of_pin: { type: "integer", description: "Unreleased." } };
    const text = toText({ ...pinned, properties: unreleased, examples: [{ place: "top", size_of_pin: 1 }] });
    const edit = await withText(PINNED, text, () =>
      editor.rename(PINNED, locate(text, '"size_of_pin": {', 3), "pin_size"),
    );
    editor.apply(edit, { [PINNED]: text });
    expect(editor.read(PINNED)).toBe(text.replaceAll("size_of_pin", "pin_size"));
  });
});
