/** Random changes of small protocols: what pull requests do to a contract, and what an adversary would hide in one. */
import type { Random } from "../../../generator/random.js";
import { copyFiles, type Draft, MANIFEST, type ProtocolFiles } from "./protocol-files.js";
import { ADDITIONS, PROTOCOL_MUTATIONS } from "./protocol-mutations.js";
import { resolveReferences } from "./random-protocol.js";
import { type MutationContext, SCHEMA_MUTATIONS } from "./schema-mutations.js";
import { hasLabel, listSchemaPlaces, type Place } from "./schema-places.js";

/** A changed protocol and what was changed. */
export interface Mutated {
  readonly files: ProtocolFiles;
  readonly mutations: readonly string[];
}

/** Which mutation is made, and of which schema; without a place it is one of the protocol as a whole. */
interface Choice {
  readonly name: string;
  readonly place?: Pick<Place, "file" | "pointer">;
}

/** Changes a copy of a protocol `count` times; the copy is the version `1.<minor>`. */
export function mutateProtocol(random: Random, files: ProtocolFiles, minor: number, count: number): Mutated {
  const draft = copyFiles(files);
  draft[MANIFEST].version = `1.${minor}`;
  const made: Choice[] = [];
  for (let tries = 0; made.length < count && tries < count * 30; tries++) {
    const choice = chooseMutation(random, draft);
    if (applyMutation(choice, { random, draft })) made.push(choice);
  }
  return { files: resolveReferences(draft), mutations: made.map(describeChoice) };
}

/** Two versions that differ from a protocol by the same mutation at the same place, made with other details. */
export function mutateAlike(random: Random, files: ProtocolFiles): readonly [Mutated, Mutated] {
  for (;;) {
    const choice = chooseMutation(random, copyFiles(files));
    const [one, two] = [copyFiles(files), copyFiles(files)];
    for (const draft of [one, two]) draft[MANIFEST].version = "1.1";
    if (!applyMutation(choice, { random, draft: one })) continue;
    if (!applyMutation(choice, { random, draft: two })) continue;
    const mutations = [describeChoice(choice)];
    return [
      { files: resolveReferences(one), mutations },
      { files: resolveReferences(two), mutations },
    ];
  }
}

function describeChoice({ name, place }: Choice): string {
  return place ? `${name} at ${place.file}#${place.pointer}` : name;
}

function chooseMutation(random: Random, draft: Draft): Choice {
  if (random.chance(0.08)) return { name: random.pick(Object.keys(PROTOCOL_MUTATIONS)) };
  const places = listSchemaPlaces(draft);
  // Labelled parts and what surrounds them are where holes would be.
  const near = places.filter(({ isLabelled, schema }) => isLabelled || hasLabel(schema));
  const place = random.pick(near.length > 0 && random.chance(0.4) ? near : places);
  return { name: random.pick(Object.keys(SCHEMA_MUTATIONS)), place };
}

function applyMutation({ name, place }: Choice, context: MutationContext): boolean {
  if (!place) return PROTOCOL_MUTATIONS[name]?.(context) !== false;
  const found = listSchemaPlaces(context.draft).find(
    ({ file, pointer }) => file === place.file && pointer === place.pointer,
  );
  return found !== undefined && SCHEMA_MUTATIONS[name]?.(found, context) !== false;
}

/** A copy with one addition. */
export function addToProtocol(random: Random, files: ProtocolFiles): Mutated {
  for (;;) {
    const draft = copyFiles(files);
    draft[MANIFEST].version = "1.1";
    const name = random.pick(Object.keys(ADDITIONS));
    if (ADDITIONS[name]?.({ random, draft }) === false) continue;
    return { files: resolveReferences(draft), mutations: [name] };
  }
}
