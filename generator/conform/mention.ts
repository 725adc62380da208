/** The names that declarations in protocol.json use, and of what they must be names. */
import { join } from "../json.js";

/** A name that a declaration uses. */
export interface Mention {
  /** JSON pointer, relative to the declaration. */
  readonly pointer: string;
  readonly name: string;
  readonly is:
    | { readonly kind: "type" | "envelope" }
    /** A payload field of each of these event types. */
    | { readonly kind: "field"; readonly types: readonly string[] }
    | { readonly kind: "state"; readonly states: readonly string[] };
}

type Name = string | undefined;

/** Names that stand at `path`. A `*` in the path is the index in the list of names; absent names are left out. */
export function mention(names: readonly Name[], is: Mention["is"], ...path: readonly string[]): Mention[] {
  return names.flatMap((name, index) =>
    name === undefined
      ? []
      : [{ pointer: join("", ...path.map((token) => (token === "*" ? index : token))), name, is }],
  );
}

/** Names of event types. */
export function mentionTypes(names: readonly Name[], ...path: readonly string[]): Mention[] {
  return mention(names, { kind: "type" }, ...path);
}

/** Names of payload fields that each of `types` declares. */
export function mentionFields(
  types: readonly Name[],
  names: readonly Name[],
  ...path: readonly string[]
): Mention[] {
  return mention(names, { kind: "field", types: types.filter((type) => type !== undefined) }, ...path);
}

/** Names of envelope fields. */
export function mentionEnvelope(names: readonly Name[], ...path: readonly string[]): Mention[] {
  return mention(names, { kind: "envelope" }, ...path);
}
