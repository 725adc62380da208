/** If this fails, `accrete generate` writes other files because of its cache, or fails because of it. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openCache } from "../../generator/cache/cache.js";
import { hashFolder, stampFolder } from "../../generator/cache/hash-folder.js";
import { runAccrete } from "../commands/run-in-process.js";
import { createTemporaryFolder, readTree } from "../folders.js";
import { createProject, editProtocol, FAR_EDITS, type ProjectFiles } from "./edits.js";
import { anySequence, CACHE, checkSequence, listEntries } from "./run-sequence.js";

function openTestCache(folder: string | undefined, buildId = "a") {
  const notes: string[] = [];
  return { notes, cache: openCache({ folder, buildId }, (sentence) => notes.push(sentence)) };
}

describe("an entry", () => {
  const value = { list: [1, "é\n"], none: null };
  const long = `${"x\u2028".repeat(1000)}\n\n`;

  it("returns in another process, with any text", () => {
    const folder = path.join(createTemporaryFolder(), "deep/er");
    openTestCache(folder).cache.write("one", "key", value, long);
    expect(openTestCache(folder).cache.read("one", "key")).toEqual({ value, text: long });
    expect(openTestCache(folder).cache.read("one", "other")).toBeUndefined();
    expect(openTestCache(folder).cache.read("two", "key")).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual([".gitignore", "one.entry"]);
  });

  it("has another key for another build", () => {
    const createKey = (buildId: string): string => openTestCache(undefined, buildId).cache.createKey(["x"]);
    expect(createKey("a")).not.toBe(createKey("b"));
    expect(createKey("a")).toBe(createKey("a"));
  });

  it.each([
    ["is empty", () => Buffer.alloc(0)],
    ["lost its end", (bytes: Buffer) => bytes.subarray(0, -1)],
    ["lost its beginning", (bytes: Buffer) => bytes.subarray(1)],
    ["has other bytes at its end", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("x")])],
    ["has one other byte", (bytes: Buffer) => bytes.fill("y", bytes.length - 9, bytes.length - 8)],
    ["is another file", () => Buffer.from("{}")],
  ])("that %s is ignored with a note, and replaced", (_, damage) => {
    const folder = createTemporaryFolder();
    openTestCache(folder).cache.write("one", "key", value, long);
    const file = path.join(folder, "one.entry");
    writeFileSync(file, damage(readFileSync(file)));
    const { cache, notes } = openTestCache(folder);
    expect(cache.read("one", "key")).toBeUndefined();
    expect(notes).toEqual([`The cache entry ${file} is damaged and was ignored.`]);
    cache.write("one", "key", value);
    expect(openTestCache(folder).cache.read("one", "key")?.value).toEqual(value);
  });

  it("is removed when it is old, and so is what a killed process left", () => {
    const folder = createTemporaryFolder({
      "old.entry": "",
      "young.entry": "",
      "old.tmp": "",
      "young.tmp": "",
    });
    const past = Date.now() / 1000 - 40 * 24 * 60 * 60;
    for (const name of ["old.entry", "old.tmp"]) utimesSync(path.join(folder, name), past, past);
    openTestCache(folder).cache.write("one", "key", value);
    expect(readdirSync(folder).sort()).toEqual(["one.entry", "young.entry", "young.tmp"]);
  });

  it("is not written where a file has the name of the folder", () => {
    const root = createTemporaryFolder({ file: "" });
    openTestCache(path.join(root, "file")).cache.write("one", "key", value);
    openTestCache(path.join(root, "file/deeper")).cache.write("one", "key", value);
    expect(readTree(root)).toEqual({ file: "" });
  });
});

describe("the hash of a folder", () => {
  const files = { "a/b": "1", c: "2" };

  it.each([
    ["a content", { ...files, c: "3" }],
    ["a name", { "a/b": "1", d: "2" }],
    ["a folder", { "a2/b": "1", c: "2" }],
    ["where a content begins", { "a/b": "12", c: "" }],
    ["an empty folder", { ...files, "e/f": undefined }],
  ])("depends on %s", (_, others: { readonly [name: string]: string | undefined }) => {
    const root = createTemporaryFolder(files);
    const other = createTemporaryFolder();
    for (const [name, text] of Object.entries(others)) {
      mkdirSync(path.join(other, path.dirname(name)), { recursive: true });
      if (text !== undefined) writeFileSync(path.join(other, name), text);
    }
    expect(hashFolder(root)?.content).toBe(hashFolder(createTemporaryFolder(files))?.content);
    expect(hashFolder(other)?.content).not.toBe(hashFolder(root)?.content);
  });

  it("has a stamp that changes with every write, and none if there is a link", () => {
    const root = createTemporaryFolder(files);
    const before = hashFolder(root);
    expect(stampFolder(root)).toBe(before?.stamp);
    writeFileSync(path.join(root, "c"), "3");
    writeFileSync(path.join(root, "c"), "2");
    utimesSync(path.join(root, "c"), 0, 0);
    expect(hashFolder(root)?.content).toBe(before?.content);
    expect(stampFolder(root)).not.toBe(before?.stamp);
    symlinkSync("c", path.join(root, "link"));
    expect(hashFolder(root)).toBeUndefined();
  });
});

describe("pieces", () => {
  it("return, and those that a run did not use are forgotten", () => {
    const folder = createTemporaryFolder();
    const first = openTestCache(folder).cache;
    first.openPieces("p").add("a", "text of a\u{1f375}");
    first.openPieces("p").add("b", "");
    first.savePieces();
    const second = openTestCache(folder).cache;
    expect(["a", "b", "c"].map((key) => second.openPieces("p").find(key))).toEqual([
      "text of a\u{1f375}",
      "",
      undefined,
    ]);
    second.savePieces();
    expect(second.openPieces("p").find("b")).toBe("");
    second.savePieces();
    expect(["a", "b"].map((key) => openTestCache(folder).cache.openPieces("p").find(key))).toEqual([
      undefined,
      "",
    ]);
  });
});

describe("generate", () => {
  function createSetup() {
    const root = createTemporaryFolder(createProject());
    const folders = ["schemas", "fixtures"].flatMap((name) => [`--${name}`, path.join(root, name)]);
    const run = (...args: string[]) =>
      runAccrete(["generate", ...folders, "--out", path.join(root, "generated"), ...args]);
    return { root, run };
  }

  it("keeps its cache in node_modules of the project, or in the folder of --cache, or nowhere", async () => {
    const { root, run } = createSetup();
    await run("--no-cache");
    expect(existsSync(path.join(root, "node_modules"))).toBe(false);
    await run("--cache", path.join(root, "elsewhere"));
    expect(existsSync(path.join(root, "node_modules"))).toBe(false);
    expect(listEntries(path.join(root, "elsewhere"))).not.toEqual([]);
    await run();
    expect(listEntries(path.join(root, CACHE))).not.toEqual([]);
  });

  it("does not read what it remembers with --no-cache", async () => {
    const { root, run } = createSetup();
    await run();
    for (const entry of listEntries(path.join(root, CACHE))) writeFileSync(entry, "");
    expect(await run("--no-cache", "--check")).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await run("--check")).stderr).toContain("is damaged and was ignored");
  });

  it("works where the cache cannot be written", async () => {
    const { root, run } = createSetup();
    mkdirSync(path.join(root, "node_modules"));
    writeFileSync(path.join(root, "node_modules/.cache"), "");
    expect(await run()).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await run("--check")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it.each(FAR_EDITS)("makes all outputs again that depend on %s", async (_, file, path, value) => {
    const edit = (files: ProjectFiles): ProjectFiles => editProtocol(files, file, path, value);
    expect(edit(createProject())).not.toEqual(createProject());
    await checkSequence({ emit: "", steps: [{ kind: "edit", edit: { name: file, apply: edit } }] });
  });

  it("makes the vectors again when a fixture changes", async () => {
    const file = "fixtures/tea/v1/valid/cup.filled/one.json";
    const apply = (files: ProjectFiles): ProjectFiles => ({
      ...files,
      [file]: files[file]?.replace('"x"', '"y"') ?? "",
    });
    await checkSequence({ emit: "vectors", steps: [{ kind: "edit", edit: { name: file, apply } }] });
  });

  it("has the same outputs with and without the cache, after any edits", async () => {
    await fc.assert(fc.asyncProperty(anySequence, checkSequence), { numRuns: 3, endOnFailure: true });
  });
});
