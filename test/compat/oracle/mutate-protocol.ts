/** Applies random changes to small protocols: changes as pull requests make them, and changes that hide a break. */
import type { Random } from "../../../generator/random.js";
import { copyFiles, type Draft, MANIFEST, type ProtocolFiles } from "./protocol-files.js";
import { ADDITIONS, PROTOCOL_MUTATIONS } from "./protocol-mutations.js";
import { resolveReferences } from "./random-protocol.js";
import { type MutationContext, SCHEMA_MUTATIONS } from "./schema-mutations.js";
import { hasLabel, listSchemaPlaces, type Place } from "./schema-places.js";

/** A changed protocol, and descriptions of the changes. */
export interface MutatedProtocol {
  readonly files: ProtocolFiles;
  readonly mutations: readonly string[];
}

/** A mutation of the schema at a place, or of the whole protocol if there is no place. */
interface Choice {
  readonly name: string;
  readonly place?: Pick<Place, "file" | "pointer">;
}

/** Changes a copy of a protocol `count` times. The copy has the version `1.<minor>`. */
export function mutateProtocol(
  random: Random,
  files: ProtocolFiles,
  minor: number,
  count: number,
): MutatedProtocol {
  const draft = copyFiles(files);
  draft[MANIFEST].version = `1.${minor}`;
  const choices: Choice[] = [];
  for (let tries = 0; choices.length < count && tries < count * 30; tries++) {
    const choice = chooseMutation(random, draft);
    if (applyMutation(choice, { random, draft })) choices.push(choice);
  }
  return { files: resolveReferences(draft), mutations: choices.map(describeChoice) };
}

/** Creates two versions of a protocol by the same mutation at the same place, with different random details. */
export function mutateAlike(
  random: Random,
  files: ProtocolFiles,
): readonly [MutatedProtocol, MutatedProtocol] {
  for (;;) {
    const choice = chooseMutation(random, copyFiles(files));
    const drafts = [copyFiles(files), copyFiles(files)] as const;
    for (const draft of drafts) draft[MANIFEST].version = "1.1";
    if (!drafts.every((draft) => applyMutation(choice, { random, draft }))) continue;
    const mutations = [describeChoice(choice)];
    return [
      { files: resolveReferences(drafts[0]), mutations },
      { files: resolveReferences(drafts[1]), mutations },
    ];
  }
}

function describeChoice({ name, place }: Choice): string {
  return place ? `${name} at ${place.file}#${place.pointer}` : name;
}

function chooseMutation(random: Random, draft: Draft): Choice {
  if (random.chance(0.08)) return { name: random.pick(Object.keys(PROTOCOL_MUTATIONS)) };
  const places = listSchemaPlaces(draft);
  // A missed break is most probable in labelled parts and in the schemas around them.
  const nearLabels = places.filter(({ isLabelled, schema }) => isLabelled || hasLabel(schema));
  const place = random.pick(nearLabels.length > 0 && random.chance(0.4) ? nearLabels : places);
  return { name: random.pick(Object.keys(SCHEMA_MUTATIONS)), place };
}

function applyMutation({ name, place }: Choice, context: MutationContext): boolean {
  if (!place) return PROTOCOL_MUTATIONS[name]?.(context) !== false;
  const found = listSchemaPlaces(context.draft).find(
    ({ file, pointer }) => file === place.file && pointer === place.pointer,
  );
  return found !== undefined && SCHEMA_MUTATIONS[name]?.(found, context) !== false;
}

/** Creates a copy with one addition. */
export function addToProtocol(random: Random, files: ProtocolFiles): MutatedProtocol {
  for (;;) {
    const draft = copyFiles(files);
    draft[MANIFEST].version = "1.1";
    const name = random.pick(Object.keys(ADDITIONS));
    if (ADDITIONS[name]?.({ random, draft }) === false) continue;
    return { files: resolveReferences(draft), mutations: [name] };
  }
}
