/** Finds renames, splits, merges and moves between two versions. */
import type { Change } from "../change.js";
import type { AlignedProtocols } from "../diff/align.js";
import { FIELD_RULES } from "../rules/fields.js";
import type { Side } from "../side.js";
import { findEventRenames, type SubjectRename } from "./event-renames.js";
import { combineFieldRenames } from "./field-renames.js";

/** The renames between two versions. */
export interface Renames {
  /** All changes of messages. Those of renamed and moved fields are combined. */
  readonly changes: readonly Change[];
  readonly events: readonly SubjectRename[];
}

/** Finds the renames of fields and event types. Fields that were renamed count as equal in the event types. */
export function findRenames(
  { changes, removed, added }: AlignedProtocols,
  before: Side,
  after: Side,
): Renames {
  const combined = combineFieldRenames(changes, before, after);
  const fields = combined.filter(({ rule }) => rule === FIELD_RULES["field-renamed"]);
  const renamed = new Map(fields.map(({ from, to }) => [String(from), String(to)]));
  const events = findEventRenames(removed, added, { protocol: before.protocol, renamed }, after.protocol);
  return { changes: combined, events };
}
