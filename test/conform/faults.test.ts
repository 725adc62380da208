/** If this fails, a lost, repeated or corrupted event of a stream stays unnoticed. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { createRandom } from "../../generator/random.js";
import { PROFILES } from "../../generator/schema/readings.js";
import { chooseCases, quick } from "../depth.js";
import { checkLines, fixtureStreams, validators } from "./check-stream.js";
import { FAULTS } from "./faults.js";

const SEEDS = 5;

const streams = fixtureStreams.map(({ lines, ...rest }) => ({
  ...rest,
  lines,
  events: lines.map((line): JsonObject => JSON.parse(line)),
}));

describe("a fault in a fixture stream is reported, or tolerated for a reason", () => {
  quick.it.each(FAULTS.map((fault) => [`${fault.name} (${fault.protocols})`, fault] as const))(
    "%s",
    (_name, fault) => {
      let injected = 0;
      for (const { id, file, events } of streams.filter((stream) => fault.protocols.includes(stream.id)))
        for (let seed = 1; seed <= SEEDS; seed++) {
          const faulty = fault.inject({ id, events, random: createRandom(seed).next });
          if (faulty === undefined) continue;
          injected++;
          for (const profile of PROFILES) {
            const found = checkLines(
              id,
              profile,
              faulty.map((event) => JSON.stringify(event)),
            );
            const rules = found.map(({ rule }) => rule);
            const answer = fault[profile];
            const where = `${profile}, ${file}, seed ${seed}`;
            if ("tolerated" in answer)
              expect([where, ...rules.filter((rule) => !answer.mayReport?.includes(rule))]).toEqual([where]);
            else
              expect([where, answer.some((rule) => rules.includes(rule)), rules]).toEqual([
                where,
                true,
                rules,
              ]);
          }
        }
      expect(injected).toBeGreaterThan(0);
    },
  );
});

describe("a corrupted byte is reported, or leaves an event that the contract allows", () => {
  it.each(chooseCases(streams, 16).map((stream) => [`${stream.id} ${stream.file}`, stream] as const))(
    "%s",
    (_name, { id, lines }) => {
      const decode = validators.get(id)?.decodeEvent;
      const random = createRandom(1).next;
      let named = 0;
      for (let round = 0; round < 40; round++) {
        const at = Math.floor(random() * lines.length);
        const bytes = Buffer.from(lines[at] ?? "");
        const place = Math.floor(random() * bytes.length);
        bytes[place] = ((bytes[place] ?? 0) + 1 + Math.floor(random() * 90)) % 128;
        const faulty = [...lines.slice(0, at), bytes.toString(), ...lines.slice(at + 1)];
        for (const profile of PROFILES) {
          const found = checkLines(id, profile, faulty);
          if (found.length > 0) named++;
          else expect(decode?.(JSON.parse(faulty[at] ?? ""), { profile }).kind).not.toBe("invalid");
        }
      }
      expect(named).toBeGreaterThan(20);
    },
  );
});
