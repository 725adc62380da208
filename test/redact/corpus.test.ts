/** If this fails, `accrete redact` leaves a secret, breaks a stream, or changes more than the secrets. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRecording } from "../../generator/ingest/read-recording.js";
import { getValueAtPointer, isObject, type Json, joinPointer } from "../../generator/json.js";
import { redactRecordings } from "../../generator/redact/redact-recordings.js";
import { checkLines, fixtureStreams, validators } from "../conform/check-stream.js";
import { chooseCases, deep, quick } from "../depth.js";
import { PLANTED_SECRETS } from "./planted-secrets.js";

const ALL = [...validators.values()];
const DISCRIMINATORS = ["type", "Kind"];
const SECRETS = Object.values(PLANTED_SECRETS);

function redact(...texts: string[]): string[] {
  const recordings = texts.map((text, index) => readRecording(`${index}.jsonl`, text, DISCRIMINATORS));
  const { texts: redacted, broken } = redactRecordings(recordings, ALL);
  expect(broken).toEqual([]);
  return [...redacted];
}

/** The numbers by which the forms are shifted, so that each stream gets each form. */
const SHIFTS = [0, 24, 48];

/** Returns the pointers of all strings in a value. */
function listStrings(value: Json, pointer = ""): string[] {
  if (typeof value === "string") return [pointer];
  if (Array.isArray(value))
    return value.flatMap((item, index) => listStrings(item, joinPointer(pointer, index)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => listStrings(each, joinPointer(pointer, name)));
}

/** Returns a copy of a line in which the string at `pointer` is `text`. */
function replaceString(line: string, pointer: string, text: string): string {
  const value = JSON.parse(line);
  const parent = getValueAtPointer(value, pointer.slice(0, pointer.lastIndexOf("/"))) as {
    [name: string]: Json;
  };
  parent[
    pointer
      .slice(pointer.lastIndexOf("/") + 1)
      .replace(/~1/g, "/")
      .replace(/~0/g, "~")
  ] = text;
  return JSON.stringify(value);
}

function listRules(id: string, lines: readonly string[]): string[] {
  return checkLines(id, "writer", lines).map(({ rule, index }) => `${index} ${rule}`);
}

/** A place for a secret: the index of a line, and a pointer to a string that a writer may choose freely. */
type Place = readonly [line: number, pointer: string];

function findFreePlaces(id: string, lines: readonly string[]): Place[] {
  const before = listRules(id, lines);
  return lines.flatMap((line, index) =>
    listStrings(JSON.parse(line))
      .filter((pointer) => {
        const changed = lines.with(index, replaceString(line, pointer, "some free text"));
        return listRules(id, changed).join() === before.join();
      })
      .map((pointer): Place => [index, pointer]),
  );
}

/** Returns lines without the lists of redacted places, which only the redacted ones have. */
function removeLists(lines: readonly string[]): unknown[] {
  return lines.map((line) =>
    JSON.parse(line, (name, value) => (/^redacted_(keys|paths)$/.test(name) ? undefined : value)),
  );
}

describe.each(
  chooseCases(fixtureStreams, 12).map(({ id, file, lines }) => ({ name: `${id}/${file}`, id, lines })),
)("$name", ({ id, lines }) => {
  const places = findFreePlaces(id, lines);

  it.each(SHIFTS)("has only its secrets masked, which are shifted by %i forms", (shift) => {
    let planted = lines;
    let masked = lines;
    for (const [index, [line, pointer]] of places.entries()) {
      const { text, secret } = SECRETS[(index + shift) % SECRETS.length] ?? { text: "", secret: "" };
      const mask = "*".repeat(Buffer.byteLength(secret));
      planted = planted.with(line, replaceString(planted[line] ?? "", pointer, `é ${text} ü`));
      masked = masked.with(
        line,
        replaceString(masked[line] ?? "", pointer, `é ${text.replace(secret, mask)} ü`),
      );
    }
    const [redacted = ""] = redact(planted.join("\n"));
    for (const { secret } of SECRETS) expect(redacted).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(removeLists(redacted.split("\n"))).toEqual(removeLists(masked));
    expect(listRules(id, redacted.split("\n"))).toEqual(listRules(id, masked));
    // A second run changes nothing.
    expect(redact(redacted)).toEqual([redacted]);
  });
});

deep.it("has a place for each secret in every protocol", () => {
  for (const id of validators.keys()) {
    const counts = fixtureStreams
      .filter((stream) => stream.id === id)
      .map(({ lines }) => findFreePlaces(id, lines).length);
    const planted = counts.flatMap((count) =>
      SHIFTS.flatMap((shift) =>
        Array.from({ length: count }, (_, index) => (index + shift) % SECRETS.length),
      ),
    );
    expect(new Set(planted).size, id).toBe(SECRETS.length);
  }
});

/** The event types that send texts or outputs in pieces, with the field of the piece. */
const PIECES = [
  { id: "hecate/v1", type: "tool.shell.output_chunk", pointer: "/data/data" },
  { id: "hecate/v1", type: "assistant.text_delta", pointer: "/data/delta" },
  { id: "frames/v1", type: "tool_stdout", pointer: "/chunk" },
  { id: "frames/v1", type: "output_text_delta", pointer: "/delta" },
  { id: "frames/v1", type: "tool_task_output_delta", pointer: "/chunk" },
  { id: "frames/v2", type: "tool_stdout", pointer: "/chunk" },
  { id: "frames/v2", type: "tool_task_output_delta", pointer: "/chunk" },
  { id: "evva/v0", type: "text_chunk", pointer: "/Text/Text" },
];

/** Returns one event for each chunk, with numbers and ids of their own as far as the protocol has them. */
function createPieces(model: string, pointer: string, chunks: readonly string[]): string[] {
  return chunks.map((chunk, index) => {
    const event = JSON.parse(replaceString(model, pointer, chunk));
    if ("sequence" in event)
      Object.assign(event, {
        sequence: index,
        event_id: `evt_01KQPNTYZ078KC0JSFASW9${String(index).padStart(4, "0")}`,
      });
    if ("seq" in event)
      Object.assign(event, { seq: index, id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}` });
    return JSON.stringify(event);
  });
}

describe.each(chooseCases(PIECES, 4))("pieces of $id $type", ({ id, type, pointer }) => {
  const model = fixtureStreams
    .filter((stream) => stream.id === id)
    .flatMap(({ lines }) => lines)
    .find((line) => Object.values(JSON.parse(line)).includes(type));
  const numbered = id !== "evva/v0";

  it.each(chooseCases(Object.entries(PLANTED_SECRETS), 8))(
    "hide %s across their borders",
    (_form, { text, secret }) => {
      if (model === undefined) throw new Error(`no fixture has ${type}`);
      const whole = `$ env\n${text}\ndone\n`;
      const property = fc.property(
        fc.array(fc.nat(whole.length), { maxLength: 6 }),
        fc.boolean(),
        fc.integer(),
        (cuts, redelivers, seed) => {
          const borders = [0, ...[...cuts].sort((a, b) => a - b), whole.length];
          const pieces = createPieces(
            model,
            pointer,
            borders.slice(1).map((stop, index) => whole.slice(borders[index], stop)),
          );
          // Redeliveries come again at any later place, and two recordings may share a run.
          const again = pieces[Math.abs(seed) % pieces.length] ?? "";
          const sent = redelivers && numbered ? [...pieces, again] : pieces;
          const half = Math.floor(sent.length / 2);
          const redacted = redact(sent.slice(0, half).join("\n") || "\n", sent.slice(half).join("\n"))
            .flatMap((each) => each.split("\n"))
            .filter((line) => line !== "");
          const chunks = redacted.map((line) => getValueAtPointer(JSON.parse(line), pointer) as string);
          const expected = whole.replace(secret, "*".repeat(secret.length));
          expect(chunks.slice(0, pieces.length).join("")).toBe(expected);
          if (redelivers && numbered) expect(chunks.at(-1)).toBe(chunks[pieces.indexOf(again)]);
        },
      );
      fc.assert(property, { numRuns: 25 });
    },
  );
});

quick.it("hides secrets around events", () => {
  const [{ secret = "", text = "" } = {}] = SECRETS;
  const [line = ""] = fixtureStreams[0]?.lines ?? [];
  const list = `{"object":"list", "note":"${text}", "data":[ ${line} ]}\n`;
  expect(redact(list)).toEqual([list.replace(secret, "*".repeat(secret.length))]);
  expect(redact(`["${text}", 1]`)).toEqual([`["${"*".repeat(secret.length)}", 1]`]);
});
