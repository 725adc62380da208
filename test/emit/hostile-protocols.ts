import { loadSchemas } from "../../generator/load/load.js";
import type { Placement, Protocol } from "../../generator/protocol/protocol.js";
import { HOSTILE_PAYLOADS, HOSTILE_TYPES, type HostilePayload } from "../cases/emit/hostile.js";
import { withTemporaryFolder } from "../folders.js";
import { type Folder, PLACEMENTS, writeFolder } from "./hostile-folder.js";

/** A hostile payload or event type. */
export interface HostileCase {
  readonly what: string;
  readonly type: string;
  readonly payload: HostilePayload;
}

/** A protocol folder and the cases that it contains. */
export interface HostileFolder {
  readonly folder: Folder;
  readonly cases: readonly HostileCase[];
}

/** Creates folders with every hostile payload and event type in every placement. Cases about definitions have their own folders. */
export function createHostileFolders(): readonly HostileFolder[] {
  const all = [...HOSTILE_PAYLOADS];
  const alone = all.filter(([what]) => what.startsWith("definition"));
  const together = all
    .filter((one) => !alone.includes(one))
    .map(([what, payload], i) => ({ what, type: `case.n${i}`, payload }));
  const payload = HOSTILE_PAYLOADS.get("nullable");
  const types = payload ? HOSTILE_TYPES.map((type) => ({ what: `type ${type}`, type, payload })) : [];
  return [
    ...PLACEMENTS.flatMap((placement) => [
      createHostileFolder(`all-${placement}`, placement, together),
      createHostileFolder(`types-${placement}`, placement, types),
    ]),
    ...alone.map(([what, payload], i) =>
      createHostileFolder(`alone-${i}`, PLACEMENTS[i % 3] ?? "nested", [{ what, type: "x.y", payload }]),
    ),
  ];
}

/** Loads the protocols of the hostile folders. */
export async function loadHostileProtocols(): Promise<readonly Protocol[]> {
  return withTemporaryFolder(async (root) => {
    for (const { folder } of createHostileFolders()) writeFolder(root, folder);
    return (await loadSchemas(root)).protocols;
  });
}

function createHostileFolder(
  name: string,
  placement: Placement,
  cases: readonly HostileCase[],
): HostileFolder {
  const events = Object.fromEntries(cases.map(({ type, payload: { payload } }) => [type, payload]));
  const $defs = Object.assign({}, ...cases.map(({ payload }) => payload.$defs ?? {}));
  return { folder: { name, placement, events, $defs }, cases };
}
