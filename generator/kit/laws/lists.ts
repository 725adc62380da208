/** The law about lists that replace each other, which `x-replaces` declares. */
import { areEqual, isObject, type Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import { getModel, type KitProtocol } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields } from "../payload.js";
import { listLeaves, makeScene } from "../scene.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import { repeatEvent } from "./content.js";
import { propose } from "./ends.js";
import { findBranchingDepth } from "./separation.js";

export const listsReplacedLaw: Law = {
  id: "lists-replaced",
  dependsOn: ["duplicate-adjacent", "runs-apart"],
  law: "A list with x-replaces replaces the one before it: each of its entries is shown, however many there are, and no entry of the list before.",
  findSkipReason: (protocol) =>
    findReplacingLists(protocol).length === 0 ? "no list of this protocol has x-replaces" : undefined,
  makesStreams: true,
  *check(trial) {
    for (const { type, field } of findReplacingLists(trial.protocol)) yield* checkList(trial, type, field);
  },
};

/** Returns the payload fields with `x-replaces`. */
function findReplacingLists(protocol: KitProtocol): ReturnType<typeof listPayloadFields> {
  return listPayloadFields(getModel(protocol)).filter(({ merged: { description } }) =>
    description.parts.some(({ schema }) => schema["x-replaces"] === true),
  );
}

/** The number of entries of a long list. */
const LONG = 40;

function* checkList(trial: Trial, type: string, field: string): Steps<void> {
  const { protocol } = trial;
  const scene = makeScene(trial.context, [propose(type)]);
  const [event] = scene?.sent ?? [];
  if (scene === undefined || event === undefined) return;
  const entries = makeEntries(trial, event, field);
  if (entries === undefined) return;
  const rest = scene.events.filter((each) => each !== event);
  const show = function* (...lists: readonly (readonly Json[])[]): Steps<ReadonlyMap<string, unknown>> {
    const events = lists.map((list, index) =>
      setPayloadFields(protocol, index === 0 ? event : repeatEvent(trial, event, index), {
        [field]: [...list],
      }),
    );
    return listLeaves(yield* trial.view([...rest, ...events]));
  };
  const values = entries.map(({ value }) => value);
  const [old, replacing] = [values.slice(0, 2), values.slice(2, 3)];
  const before = yield* show(old);
  const [one, two] = [findPlace(before, entries[0]?.token), findPlace(before, entries[1]?.token)];
  if (one === undefined || two === undefined) return;
  const depth = findBranchingDepth(one, two);
  const alone = yield* show(replacing);
  if (findPlace(alone, entries[2]?.token) === undefined) return;
  const after = yield* show(old, replacing);
  const newPlace = findPlace(after, entries[2]?.token);
  const subject = `${field} of ${type}`;
  if (newPlace === undefined) trial.fail(`A list in ${subject} that replaces another one is not shown`);
  for (const { token } of entries.slice(0, 2)) {
    const oldPlace = findPlace(after, token);
    // A history has each list at a place of its own.
    if (oldPlace !== undefined && newPlace !== undefined && findBranchingDepth(oldPlace, newPlace) === depth)
      trial.fail(
        `After a list in ${subject} that replaces another one, entries of both are shown in one list`,
      );
  }
  const long = yield* show(values);
  const lost = entries.filter(({ token }) => findPlace(long, token) === undefined);
  if (lost.length > 0)
    trial.fail(
      `Of a list of ${LONG} entries in ${subject}, ${lost.length} are not shown. Of a list of two, both are`,
    );
}

/** An entry of a list, and the text in it by which it is found. */
interface Entry {
  readonly token: string;
  readonly value: Json;
}

/** Makes entries with different texts; undefined if the contract does not allow them. */
function makeEntries(trial: Trial, event: SampleEvent, field: string): readonly Entry[] | undefined {
  const { protocol, maker } = trial;
  const isAllowed = (list: readonly Json[]): boolean =>
    protocol.decodeEvent(setPayloadFields(protocol, event, { [field]: list }), { profile: "writer" }).kind ===
    "known";
  const type = String(event[protocol.envelope.discriminator]);
  for (let seed = 0; seed < 20; seed++) {
    const made = maker.make({ type, envelope: event, fixedFields: {}, seed, fieldChance: 1 });
    const list = made === undefined ? [] : getPayload(protocol, made)[field];
    const [model] = Array.isArray(list) ? list : [];
    if (model === undefined) continue;
    const names = isObject(model) ? Object.keys(model) : [undefined];
    for (const name of names) {
      const entries = Array.from({ length: LONG }, (_, index): Entry => {
        const token = `qzentry${String(index).padStart(3, "0")}`;
        return { token, value: name === undefined || !isObject(model) ? token : { ...model, [name]: token } };
      });
      if (isAllowed(entries.map(({ value }) => value)) && !areEqual(entries[0]?.value ?? null, model))
        return entries;
    }
  }
  return undefined;
}

/** Returns the only place that shows a token; undefined if there is none, or more than one. */
function findPlace(leaves: ReadonlyMap<string, unknown>, token = ""): string | undefined {
  const places = [...leaves].filter(([, leaf]) => String(leaf).includes(token));
  return places.length === 1 ? places[0]?.[0] : undefined;
}
