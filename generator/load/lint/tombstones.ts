import { errorFinding, type Finding } from "../../finding.js";
import { isObject, type JsonObject } from "../../json.js";
import type { Tombstone } from "../../model/protocol.js";
import type { LintInput } from "./input.js";

/** No tombstoned name is in use. */
export function lintTombstones({ protocol }: LintInput): Finding[] {
  return protocol.tombstones.flatMap((tombstone) =>
    protocol.events
      .filter((event) => isBuried(tombstone, event.type, event.payload))
      .map(({ type, at }) =>
        errorFinding(
          "tombstone-reused",
          `${type} uses the ${tombstone.kind} name ${JSON.stringify(tombstone.name)}, which was withdrawn in ${tombstone.removedIn}: ${tombstone.reason}`,
          at,
          "Choose a new name; a withdrawn one must never mean anything else.",
        ),
      ),
  );
}

function isBuried({ kind, name, in: where }: Tombstone, type: string, payload: JsonObject): boolean {
  if (kind === "event") return name.endsWith(".*") ? type.startsWith(name.slice(0, -1)) : type === name;
  if (kind === "field" && (where === undefined || where === type))
    return isObject(payload.properties) && Object.hasOwn(payload.properties, name);
  return false;
}
