/** If this fails, a broken disk or a signal leaves a project half changed. */
import { beforeAll, describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../folders.js";
import { breakWriter } from "./break-writers.js";
import { type SignalCase, signalWriter } from "./signal-writers.js";
import { createWriters, type Writer } from "./writers.js";

let all: readonly Writer[] = [];
beforeAll(async () => {
  all = await createWriters();
});
const findWriter = (name: string): Writer => all.find((one) => one.name === name) as Writer;

/** These tests start many processes, which may take minutes on a busy machine. */
const LONG_TIMEOUT = { timeout: 300_000 };

/** The writers, and about how many of their steps are broken. `npm run fuzz:writers` breaks every step. */
const BROKEN: readonly (readonly [name: string, steps: number])[] = [
  ["the first generate", 3],
  ["a later generate", 3],
  ["the first release", 2],
  ["a release of two protocols", 6],
  ["a withdrawal", 6],
  ["init", 6],
  ["init in a project", 3],
  ["import", 3],
  ["import --force", 8],
];

describe("a failing disk or a crash leaves either the old files or the new ones", () => {
  it.each(BROKEN)("%s", LONG_TIMEOUT, async (name, steps) => {
    expect(await breakWriter(createTemporaryFolder(), findWriter(name), steps)).toEqual([]);
  });
});

const SIGNAL_CASES: readonly (readonly [name: string, signalCase: SignalCase, ended: RegExp])[] = [
  [
    "a later generate",
    { kind: "reads", at: "mug.filled.schema.json", signal: "SIGINT" },
    /^SIGINT .*SIGINT; nothing was changed/,
  ],
  [
    "a later generate",
    { kind: "changes", at: 20, signal: "SIGTERM" },
    /^SIGTERM .*SIGTERM; the command had already finished its work/,
  ],
  [
    "init",
    { kind: "changes", at: 20, signal: "SIGINT" },
    /^SIGINT .*SIGINT; the command had already finished its work/,
  ],
  [
    "import of a union",
    { kind: "changes", at: ".accrete-lock", signal: "SIGINT" },
    /^SIGINT .*SIGINT; the command had already finished its work/,
  ],
  [
    "import of a union",
    { kind: "reads", at: "union.json", signal: "SIGINT" },
    /^SIGINT .*SIGINT; nothing was changed/,
  ],
  ["import --force", { kind: "changes", at: "journal.json", signal: "SIGKILL" }, /^SIGKILL $/],
  ["a later generate", { kind: "changes", at: 28, signal: "SIGKILL" }, /^SIGKILL $/],
  ["init", { kind: "changes", at: 50, signal: "SIGKILL" }, /^SIGKILL $/],
];

describe("a signal leaves either the old files or the new ones", () => {
  it.each(SIGNAL_CASES)("%s, %o", LONG_TIMEOUT, async (name, signalCase, end) => {
    const { faults, ended } = await signalWriter(createTemporaryFolder(), findWriter(name), signalCase);
    expect(faults).toEqual([]);
    expect(ended).toMatch(end);
  });
});
