/** Reads the tables of true renames: what real protocols renamed, split, merged and moved from one version to the next. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The folder with one folder per history. */
const DEFAULT_FOLDER = "test/cases/renames";

/** A true rename, judged by people from release notes or from both schemas. */
export interface TrueRename {
  /**
   * `event`: an event type has another name. `field`: a field of the same object has another name. `move`: a field is at
   * another place of the event. `split` and `merge`: event types.
   */
  readonly kind: "event" | "field" | "move" | "split" | "merge";
  /** The event types that have the field. */
  readonly in?: readonly string[];
  /** The old name; the pointer of a moved field; the names of merged event types. */
  readonly from: string | readonly string[];
  readonly to: string | readonly string[];
  /** The release note, or the evidence in both schemas. */
  readonly source: string;
}

/** Two versions of a real protocol, and everything that was renamed between them. */
export interface RenameHistory {
  readonly history: string;
  /**
   * True renames of `tuned` histories were looked at while the finder was written; those of `held out` were not. `added`
   * histories were held out at first, and people have read since then what the finder misses in them. The tables of
   * `unseen` and `kept aside` histories were written before the finder saw them, and the finder was last changed before it
   * saw those that are kept aside.
   */
  readonly half: "tuned" | "held out" | "added" | "unseen" | "kept aside";
  /** The packages that the schemas are from, and their license. */
  readonly origin: string;
  /** The operands of `accrete diff`; or `npm:NAME@RANGE:MODULE.js#TYPE` for a type of TypeScript. */
  readonly baseline: string;
  readonly current: string;
  /** True if npm has to fetch the schemas, because their license does not allow a copy here. */
  readonly isFetched: boolean;
  /** Why the comparison cannot be run, if it cannot. The history is left out unless it is asked for. */
  readonly unmeasured?: string;
  readonly renames: readonly TrueRename[];
  /** The event types that were removed and have no successor. */
  readonly removed: readonly string[];
}

/** Reads all histories of a folder, in the order of their names. */
export function readHistories(parent = DEFAULT_FOLDER): RenameHistory[] {
  return readdirSync(parent)
    .sort()
    .map((name) => {
      const folder = path.join(parent, name);
      const table = JSON.parse(readFileSync(path.join(folder, "history.json"), "utf8"));
      const isFetched = table.baseline !== undefined;
      const extracts = { baseline: `${folder}/baseline.json`, current: `${folder}/current.json` };
      return { ...extracts, ...table, isFetched };
    });
}
