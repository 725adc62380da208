/** A baseline of a comparison, as the option `--against` names it. */
export type BaselineSpec =
  | { readonly kind: "dir"; readonly path: string }
  | { readonly kind: "release"; readonly version: string }
  | { readonly kind: "git"; readonly ref: string }
  | { readonly kind: "npm"; readonly package: string };

/** Thrown for a baseline that cannot be loaded. The message is a sentence that tells the user what to fix. */
export class BaselineError extends Error {}

/** Thrown for a baseline that can be loaded but does not hold the protocol. */
export class AbsentError extends BaselineError {}

const FORMS = "dir:PATH, release:X.Y, git:REF or npm:NAME@RANGE";

/** Reads `dir:PATH`, `release:X.Y`, `git:REF` or `npm:NAME@RANGE`. Throws a BaselineError for anything else. */
export function parseBaseline(text: string): BaselineSpec {
  const colon = text.indexOf(":");
  const kind = text.slice(0, Math.max(colon, 0));
  const rest = text.slice(colon + 1);
  if (rest === "" || colon === -1)
    throw new BaselineError(`"${text}" is not a baseline; write one of ${FORMS}.`);
  switch (kind) {
    case "dir":
      return { kind, path: rest };
    case "release":
      if (!/^\d+\.\d+$/.test(rest))
        throw new BaselineError(`"${rest}" is not a release; write X.Y, such as 1.0.`);
      return { kind, version: rest };
    case "git":
      // A leading dash would be an option to git.
      if (rest.startsWith("-")) throw new BaselineError(`"${rest}" is not a git revision.`);
      return { kind, ref: rest };
    case "npm":
      if (!/^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*(@[^\s]+)?$/i.test(rest))
        throw new BaselineError(
          `"${rest}" is not an npm package; write NAME@RANGE, such as our-contract@^1.`,
        );
      return { kind, package: rest };
    default:
      throw new BaselineError(`"${kind}:" is not a kind of baseline; write one of ${FORMS}.`);
  }
}
