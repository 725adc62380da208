/** If this fails, a comparison says that a change does not reach a consumer that shows something else after it. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { protocol as frames1 } from "../../generated/frames/v1/index.js";
import { collectProtocolNames } from "../../generator/compat/history/released-names.js";
import { parseResourceKey } from "../../generator/compat/subjects.js";
import type { Adapter } from "../../generator/kit/index.js";
import { createModel, type KitProtocol } from "../../generator/kit/kit-protocol.js";
import { listDeclaredPlaces } from "../../generator/kit/lens/declared-places.js";
import { planExperiments } from "../../generator/kit/lens/record-lens.js";
import {
  findReach,
  LENS_EDITS,
  type Lens,
  type LensEdit,
  type Reach,
} from "../../generator/protocol/lens.js";
import { createPlainSchemas } from "../../generator/protocol/plain-schemas.js";
import { runAccrete } from "../commands/run-in-process.js";
import { deep, quick } from "../depth.js";
import { PROTOCOLS } from "../emit/fixtures.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";
import { provePairs, recordLenses } from "./prove-pairs.js";

const LENS: Lens = {
  "*": { all: ["/run_id"], none: ["/note"] },
  "tea.served": {
    all: ["", "/data/sort", "/data/heat", "/data/guest/**"],
    none: ["/data/pot", "/data/sort = green", "/data/heat in 0..50", "/data/heat in 60..100"],
    "refused changed?": ["/data/cups"],
    "removed?? changed?half": ["/data/sugar"],
    "of another version": ["/data/later"],
  },
  ignored: { none: ["", "/data"] },
  hidden: { renamed: [""], refused: ["/data/a"] },
};

quick.it.each<
  readonly [event: string, path: string, value: string | undefined, edits: readonly LensEdit[], Reach]
>([
  ["tea.served", "", undefined, ["removed"], "reached"],
  ["tea.served", "/data/sort", undefined, ["changed"], "reached"],
  ["tea.served", "/data/sort", "green", ["changed"], "unreached"],
  ["tea.served", "/data/sort", "black", ["changed"], "reached"],
  ["tea.served", "/data/guest/name", undefined, ["renamed"], "reached"],
  ["tea.served", "/data/pot/size", undefined, ["removed"], "unreached"],
  ["tea.served", "/data/cups", undefined, ["string"], "reached"],
  ["tea.served", "/data/cups", undefined, ["changed"], "unknown"],
  ["tea.served", "/data/cups", undefined, ["removed"], "unreached"],
  ["tea.served", "/data/new", undefined, ["removed"], "unknown"],
  ["tea.served", "/data/later", undefined, ["removed"], "unknown"],
  ["tea.poured", "/data/cups", undefined, ["removed"], "unknown"],
  ["tea.served", "", undefined, LENS_EDITS, "unknown"],
  ["ignored", "", undefined, LENS_EDITS, "unreached"],
  ["hidden", "", undefined, ["removed"], "unreached"],
  ["hidden", "", undefined, ["renamed"], "reached"],
  ["", "/run_id", undefined, ["removed"], "reached"],
  ["", "/note", undefined, ["removed"], "unreached"],
])("%s %s %s, %j: %s", (event, at, value, edits, expected) => {
  expect(findReach(LENS, { event, path: at, ...(value !== undefined && { value }) }, edits).reach).toBe(
    expected,
  );
});

quick.it.each<readonly [oldBound: number, newBound: number, Reach]>([
  [100, 70, "unreached"],
  [100, 55, "unknown"],
  [100, 40, "reached"],
  [0, 20, "unreached"],
  [0, 70, "reached"],
  [200, 100, "reached"],
])(
  "a consumer that compares the heat with 55 is asked about a bound %d that becomes %d: %s",
  (oldBound, newBound, expected) => {
    const place = { event: "tea.served", path: "/data/heat", lost: { oldBound, newBound } };
    expect(findReach(LENS, place, ["changed"]).reach).toBe(expected);
  },
);

quick.it.each<readonly [event: string, path: string, edits: readonly LensEdit[], reason: string]>([
  ["tea.served", "/data/sugar", ["removed"], "no experiment removed data.sugar"],
  [
    "tea.served",
    "/data/sugar",
    ["changed"],
    "no experiment gave data.sugar another value in the other half of its range",
  ],
  [
    "tea.served",
    "/data/cups",
    ["changed"],
    "the experiments that gave data.cups another value are not conclusive",
  ],
  ["tea.served", "/data/new", ["removed"], "no experiment edited data.new"],
  ["tea.served", "/data/later", ["removed"], "another version of accrete recorded it"],
  ["tea.poured", "/data/cups", ["removed"], "no experiment had tea.poured"],
])("says why it is not known whether %s%s, %j, reaches a consumer: %s", (event, at, edits, reason) => {
  expect(findReach(LENS, { event, path: at }, edits)).toEqual({ reach: "unknown", reason });
});

quick.it.each(PROTOCOLS.map((protocol) => [protocol.id, protocol] as const))(
  "experiments edit each field that %s declares",
  (_id, protocol) => {
    const model = createModel({
      ...protocol,
      schemas: createPlainSchemas(protocol),
    } as unknown as KitProtocol);
    const places = new Set(
      listDeclaredPlaces(model).map(({ event, tokens }) => [event, ...tokens].join("/")),
    );
    const names = [...collectProtocolNames(protocol).listed.values()].filter(
      ({ kind, event }) => kind === "field" && parseResourceKey(event) === undefined,
    );
    const missing = names.filter(({ event, path: at, name }) => !places.has(`${event}${at}/${name}`));
    expect(missing.map(({ event, path: at, name }) => `${event}${at}/${name}`)).toEqual([]);
  },
);

deep.it(
  "experiments have streams that end with each event type, for consumers that show the last event",
  () => {
    const last = planExperiments(frames1 as unknown as KitProtocol).streams.map(
      (events) => events.at(-1)?.type,
    );
    expect(Object.keys(frames1.schemas.events).filter((type) => !last.includes(type))).toEqual([]);
  },
);

/** Shows the tools of frames, and reads a field of some events only. */
const adapter: Adapter = {
  create() {
    const lines: unknown[] = [];
    return {
      push(event: { readonly [field: string]: unknown }) {
        if (event.type === "tool_started") lines.push([event.tool_name, event.tool_call_id]);
        if (event.type === "tool_task_status") lines.push(event.status === "failed" ? event.reason : "alive");
      },
      snapshot: () => [...lines],
    };
  },
};

deep.it(
  "never says that a consumer is not reached that shows something else",
  async () => {
    const kit = frames1 as unknown as KitProtocol;
    const protocol = PROTOCOLS.find(({ id }) => id === kit.id);
    if (protocol === undefined) throw new Error(`There is no protocol ${kit.id}.`);
    const faults: string[] = [];
    const consumers = new Map([["tools", adapter]]);
    const report = (line: string): void => void faults.push(line);
    const lenses = await recordLenses({ kit, consumers, report });
    const counts = await provePairs({ protocol, kit, consumers, lenses, pairs: 60, seed: 3, report });
    expect(counts.falselyUnreached, faults.join("\n")).toBe(0);
    expect(counts.falselyReached, faults.join("\n")).toBeLessThanOrEqual(0.03 * counts.reached);
    expect(counts.reached).toBeGreaterThan(0);
    expect(counts.unreached).toBeGreaterThan(counts.unknown);
  },
  300_000,
);

quick.it("names the consumers that a finding of diff reaches, and keeps the exit code", async () => {
  const folder = createTemporaryFolder();
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  for (const [name, text] of Object.entries(createTinySchemas())) {
    write(`before/${name}`, text);
    write(`after/${name}`, text.replaceAll('"cups"', '"mugs"'));
  }
  const record = (edits: string) => ({
    version: "1.0",
    events: [],
    lens: { "tea.served": { [edits]: ["/data/cups"] } },
  });
  const records = {
    "web 3.2": record("all"),
    "desk and phone": record("removed refused"),
    acp: record("none"),
    old: { version: "1.0", events: [] },
  };
  write("consumers.json", JSON.stringify({ "tiny/v1": records }));
  const operands = ["before", "after"].map((side) => path.join(folder, side, "tiny/v1"));
  const plain = await runAccrete(["diff", ...operands]);
  const informed = await runAccrete([
    "diff",
    ...operands,
    "--consumers",
    path.join(folder, "consumers.json"),
  ]);
  expect(informed.exitCode).toBe(plain.exitCode);
  expect(plain.stdout).not.toContain("Recorded consumers");
  expect(informed.stdout).toContain(
    'Recorded consumers: web 3.2 and "desk and phone" depend on data.cups; acp does not; for old that is unknown, because it was recorded without a lens.',
  );
});
