import type { JsonObject } from "../json.js";
import { walk } from "../schema/walk.js";
import type { Source } from "../source/source.js";

/** A schema of a file, where it stands, and the keyword that holds it; none holds the whole document. */
export interface SchemaAt {
  readonly schema: JsonObject;
  readonly pointer: string;
  readonly keyword: string | undefined;
}

const known = new WeakMap<Source, readonly SchemaAt[]>();

/** Every schema of a file that is an object, parents first. References are not followed. The file is walked once. */
export function schemasIn(source: Source): readonly SchemaAt[] {
  const before = known.get(source);
  if (before) return before;
  const found: SchemaAt[] = [];
  walk(source.document, (schema, pointer, keyword) => found.push({ schema, pointer, keyword }));
  known.set(source, found);
  return found;
}
