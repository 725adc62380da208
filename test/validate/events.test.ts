/** If this fails, `accrete validate` accepts invalid events or refuses valid ones. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { checkEvent } from "../../generator/conform/check-event.js";
import { locatePart } from "../../generator/ingest/place.js";
import { getValueAtPointer, type JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { runAccrete } from "../commands/run-in-process.js";
import { readAll } from "../ingest/read-all.js";

interface Case {
  readonly name: string;
  readonly base: string;
  readonly profile?: "reader" | "writer";
  /**
   * The new value of each field, as JSON text, which can hold numbers that JavaScript cannot represent. null removes the
   * field.
   */
  readonly change: { readonly [pointer: string]: string | null };
  /** Pointer and keyword of each finding. A finding about the JSON text has its rule in place of the keyword. */
  readonly want?: readonly (readonly [string, string])[];
}

const file = path.join(import.meta.dirname, "..", "cases", "validate", "changed-events.json");
const { bases, refused, accepted }: { bases: { [name: string]: object }; refused: Case[]; accepted: Case[] } =
  JSON.parse(readFileSync(file, "utf8"));

/**
 * Returns the base event with its changes, as JSON text. Placeholders stand for the changed values until the event is text,
 * because JSON.stringify would write other digits.
 */
function formatEvent({ base, change }: Pick<Case, "base" | "change">): string {
  const event = structuredClone(bases[base]) as JsonObject;
  const texts: string[] = [];
  for (const [pointer, text] of Object.entries(change)) {
    const slash = pointer.lastIndexOf("/");
    const holder = getValueAtPointer(event, pointer.slice(0, slash)) as { [name: string]: string };
    const name = pointer.slice(slash + 1);
    if (text === null) delete holder[name];
    else {
      holder[name] = `@@${texts.length}@@`;
      texts.push(text);
    }
  }
  return JSON.stringify(event).replace(/"@@(\d+)@@"/g, (_all, index) => texts[Number(index)] ?? "");
}

/** Returns a location without a file. */
const locateNowhere = (pointer: string) => ({ file: "", pointer });

function listFiles(folder: string): string[] {
  return readdirSync(folder).map((name) => `${folder}/${name}`);
}

const { protocols } = await loadSchemas("schemas");
const validators = protocols.map(createValidators);

/** Validates a changed event. Returns its kind, and the pointer and keyword of every finding. */
function checkCase(one: Case): { kind: string | undefined; got: unknown[] } {
  const profile = one.profile ?? "reader";
  const got: unknown[] = [];
  let kind: string | undefined;
  readAll("event.json", Buffer.from(formatEvent(one)), {
    value(value, place) {
      const verdict = checkEvent(value, { protocols: validators, profile }, (pointer, part) =>
        locatePart(place, pointer, part),
      );
      kind = verdict.kind;
      got.push(...verdict.findings.map(({ at, message }) => [at.pointer, /\((\w+)\)$/.exec(message)?.[1]]));
    },
    finding({ at, rule }) {
      kind = "invalid";
      got.push([at.pointer, rule]);
    },
  });
  return { kind, got };
}

describe("changed events over the real schemas", () => {
  it.each(refused.map((one) => [one.name, one] as const))("refuses %s", (_name, one) => {
    expect(checkCase(one)).toEqual({ kind: "invalid", got: one.want });
  });

  it.each(accepted.map((one) => [one.name, one] as const))("accepts %s", (_name, one) => {
    const { kind, got } = checkCase(one);
    expect({ invalid: kind === "invalid", got }).toEqual({ invalid: false, got: [] });
  });

  it("finds a broken number from the command line", async () => {
    const event = formatEvent({ base: "hecate", change: { "/sequence": "9007199254740993" } });
    const { exitCode, stdout } = await runAccrete(["validate", "-", "--format", "json"], event);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      summary: {
        events: 1,
        invalid: 1,
        unknown: 0,
        errors: 1,
        hidden: 0,
        protocols: { "hecate/v1": 1 },
        rules: { "sequence-unsafe": 1 },
      },
      findings: [
        {
          rule: "sequence-unsafe",
          severity: "error",
          message:
            "sequence is 9007199254740993, which is beyond 2^53 - 1: JavaScript reads it as 9007199254740992.",
          at: {
            file: "<stdin>",
            pointer: "/sequence",
            line: 1,
            column: event.indexOf("9007") + 1,
            offset: event.indexOf("9007"),
          },
          hint: "No number above 9007199254740991 can be read exactly.",
        },
      ],
    });
  });

  it("refuses an undeclared type of a writer, and only counts it for a reader", async () => {
    const event = formatEvent({ base: "hecate", change: { "/type": '"turn.startet"' } });
    const reader = await runAccrete(["validate", "-"], event);
    expect(reader).toEqual({ exitCode: 0, stdout: "1 event, 0 invalid, 1 of unknown type\n", stderr: "" });
    const writer = await runAccrete(["validate", "-", "--profile", "writer"], event);
    expect(writer.exitCode).toBe(1);
    expect(writer.stdout).toMatch(
      /^<stdin>:1:\d+: error event-type-unknown \/type hecate\/v1 declares no event type "turn\.startet"; did you mean "turn\.started"\?\n1 event, 0 invalid, 1 of unknown type\n$/,
    );
  });
});

describe("the fixtures", () => {
  const listFixtures = (kind: string): string[] =>
    protocols.flatMap(({ id, events }) =>
      events.flatMap(({ type }) => listFiles(`fixtures/${id}/${kind}/${type}`)),
    );

  it("that are valid are accepted, each as an event of its own protocol", () => {
    const verdicts = listFixtures("valid").map((fixture) => {
      const value = JSON.parse(readFileSync(fixture, "utf8"));
      const { kind, protocol } = checkEvent(
        value,
        { protocols: validators, profile: "reader" },
        locateNowhere,
      );
      return { fixture, kind, protocol };
    });
    expect(verdicts.length).toBeGreaterThan(250);
    expect(
      verdicts.filter(
        ({ fixture, kind, protocol }) => kind !== "known" || !fixture.startsWith(`fixtures/${protocol}/`),
      ),
    ).toEqual([]);
  });

  it("that are invalid are refused for the stated reason", () => {
    const wrong = listFixtures("invalid").flatMap((fixture) => {
      const { event, profile, pointer, keyword } = JSON.parse(readFileSync(fixture, "utf8"));
      const ownValidators = validators.filter(({ protocol }) =>
        fixture.startsWith(`fixtures/${protocol.id}/`),
      );
      const { findings } = checkEvent(event, { protocols: ownValidators, profile }, locateNowhere);
      const hit = findings.some((one) => one.at.pointer === pointer && one.message.endsWith(`(${keyword})`));
      return hit ? [] : [{ fixture, pointer, keyword, findings }];
    });
    expect(wrong).toEqual([]);
  });
});
