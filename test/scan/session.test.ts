/** If this fails, findings or statistics depend on whether events were recognised in bytes or parsed. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { createContentComparer } from "../../generator/ingest/content-identity.js";
import { createEventReader } from "../../generator/ingest/event-reader.js";
import type { Input } from "../../generator/ingest/place.js";
import { readInput } from "../../generator/ingest/read-input.js";
import { createFullShare } from "../../generator/ingest/stream-share.js";
import { loadSchemas } from "../../generator/load/load.js";
import { PROFILES, type Profile } from "../../generator/schema/readings.js";
import { createSession } from "../../generator/validate/session.js";
import { createStats } from "../../generator/validate/stats.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { generateCorpus } from "../../scripts/corpus/corpus.js";
import { FAULTS, type FaultName, injectFaults } from "../../scripts/corpus/faults.js";
import { chooseCases, quick } from "../depth.js";
import { createSharedFolder } from "../folders.js";
import { readFixtureLines } from "./alike.js";

const { protocols } = await loadSchemas("schemas");
const validators = protocols.map(createValidators);
const folder = createSharedFolder();

/**
 * Reads a file in a session, with the scanner if `scans` is true. Returns everything that the session reports, and the
 * number of recognised events. `only` is the id of the only protocol.
 */
async function readInSession(file: string, profile: Profile, scans: boolean, only?: string) {
  const input: Input = { index: 0, name: "events.jsonl", file, isRereadable: true };
  const findings: Finding[] = [];
  const { isSame, close } = createContentComparer([input]);
  const stats = createStats();
  const share = createFullShare();
  const session = createSession({
    inputs: [input],
    profile,
    eventsOnly: false,
    share,
    stats,
    isSame,
    hasRoom: () => true,
    validators: validators.filter(({ protocol }) => only === undefined || protocol.id === only),
    report: ({ finding }) => void findings.push(finding),
  });
  let recognised = 0;
  const { scanner } = session;
  const counting = scanner && {
    ...scanner,
    acceptEvent: (...event: Parameters<typeof scanner.acceptEvent>) => {
      recognised++;
      scanner.acceptEvent(...event);
    },
  };
  const { scanner: _omitted, ...rest } = session;
  const sink = scans && counting ? { ...rest, scanner: counting } : rest;
  session.begin(input);
  await readInput(input, (async function* () {})(), createEventReader(input, sink, share), () => {});
  session.finish(input, 0, true);
  session.end();
  close();
  return { reported: { findings, stats, tally: session.tally }, recognised };
}

/** Asserts that scanning and parsing give the same reports. Returns the share of recognised events. */
async function expectSameReports(text: string, profile: Profile, only?: string): Promise<number> {
  const file = path.join(folder, "events.jsonl");
  writeFileSync(file, text);
  const scanned = await readInSession(file, profile, true, only);
  const parsed = await readInSession(file, profile, false, only);
  expect(parsed.recognised).toBe(0);
  expect(scanned.reported).toEqual(parsed.reported);
  return scanned.recognised / text.split("\n").length;
}

/** Returns events of the corpus; about one in ten has a fault. */
function createEvents(count: number, seed: number): string {
  const faults = Object.keys(FAULTS) as FaultName[];
  const lines: string[] = [];
  for (const line of injectFaults(generateCorpus(seed), faults, seed, new Map(), 1 / 10)) {
    lines.push(line);
    if (lines.length === count) break;
  }
  return lines.join("\n");
}

describe.each(PROFILES)("as a %s", (profile) => {
  it.each(chooseCases([1, 2, 3, 4], 1))(
    "a session reports the same for recognised events as for parsed ones, seed %i",
    async (seed) => {
      expect(await expectSameReports(createEvents(3000, seed), profile, "hecate/v1")).toBeGreaterThan(0.7);
      expect(await expectSameReports(createEvents(1000, seed + 100), profile)).toBeGreaterThan(0.5);
    },
  );

  quick.it.each(protocols.map((protocol) => [protocol.id, protocol] as const))(
    "a session reports the same for the streams of %s, with ends of lines of all kinds",
    async (id, protocol) => {
      const lines = readFixtureLines(protocol);
      const ends = ["\n", "\r\n", " \n", "\n\n", "\n"];
      const text = lines.map((line, index) => line + ends[index % ends.length]).join("");
      await expectSameReports(text, profile, id);
      await expectSameReports([...lines, ...lines].join("\n"), profile, id);
      await expectSameReports(lines.join("\n"), profile);
    },
  );

  quick.it("a session reports the same for alternating lines of several protocols", async () => {
    const all = protocols.map(readFixtureLines);
    const lines = Array.from({ length: 200 }, (_, index) => all[index % all.length]?.[index >> 2] ?? "");
    await expectSameReports(lines.join("\n"), profile);
  });
});
