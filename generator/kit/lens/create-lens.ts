import { groupBy } from "../../group-by.js";
import {
  createLensKey,
  createRangePath,
  createValuePath,
  type EditResults,
  EVERYTHING_BELOW,
  findTypeEdit,
  formatEdits,
  LENS_EDITS,
  type Lens,
  type LensEdit,
  REFUSED_TYPES,
  type SizeRange,
} from "../../protocol/lens.js";
import { compareTexts } from "../../text.js";
import { hasName, type Target } from "./edit-places.js";
import { hasRange } from "./ranges.js";

/** The results of the experiments with one target so far. */
export interface TargetResults {
  /** The edits that changed what the consumer shows. */
  readonly sensitive: Set<LensEdit>;
  /** The edits that changed it only together with edits of other targets. */
  readonly doubtful: Set<LensEdit>;
  /** The number of streams in which an edit did not change it. */
  readonly tests: Map<LensEdit, number>;
  /** The number of streams in which a value was moved to the other half of its declared range without a difference. */
  halfTests: number;
  /** The number of the stream in which another value made a difference at first. */
  firstDifference?: number;
  /** The parts of its declared range in which the consumer does not tell values apart. */
  constantRanges: readonly SizeRange[];
  /** True if the removal of an event type made a difference in a stream whose numbers do not follow each other. */
  isIrregular: boolean;
  /** True if the consumer itself read the target. */
  isRead: boolean;
}

const NO_EDITS: EditResults = { sensitive: new Set(), unknown: new Map() };

/** The number of streams in which an edit must not change what is shown before that counts as known. */
const MIN_TESTS = 5;

/** The same number for a listed value. All events of a type have that value in the streams that are made for it. */
const MIN_VALUE_TESTS = 3;

/** Creates the lens that the results show. A place without any result is not part of it. */
export function createLens(targets: readonly Target[], results: ReadonlyMap<Target, TargetResults>): Lens {
  const events = new Map<string, Map<string, string>>();
  const validatedEvents = findValidatedEvents(results);
  for (const target of targets) {
    const targetResults = results.get(target);
    if (targetResults === undefined) continue;
    const isValidated = validatedEvents.has(target.event) || validatedEvents.has("");
    const edits = formatEdits(summarize(target, targetResults, isValidated));
    const path = target.tokens.map((token) => `/${token}`).join("");
    const key = createLensKey(target.event);
    const paths = events.get(key) ?? new Map<string, string>();
    events.set(key, paths);
    if (target.value === undefined) {
      if (targetResults.sensitive.size > 0 || targetResults.tests.size > 0) paths.set(path, edits);
      for (const range of targetResults.constantRanges)
        paths.set(createRangePath(path, range), formatEdits(NO_EDITS));
    } else if (targetResults.sensitive.size + targetResults.tests.size > 0 && paths.get(path) !== edits)
      paths.set(createValuePath(path, String(target.value)), edits);
  }
  const sorted = [...events].sort(([a], [b]) => compareTexts(a, b));
  return Object.fromEntries(sorted.map(([event, paths]) => [event, groupByEdits(mergeBelow(paths))]));
}

/**
 * Returns the event types of which a value matters only if it is refused, of whichever type, so that the consumer probably
 * calls a validator. Objects and lists are no evidence: each consumer that reads a part of them depends on their type.
 */
function findValidatedEvents(results: ReadonlyMap<Target, TargetResults>): ReadonlySet<string> {
  const createKey = (event: string, tokens: readonly string[]): string => JSON.stringify([event, tokens]);
  const holders = new Set(
    [...results.keys()].flatMap(({ event, tokens }) =>
      ["", event].map((each) => createKey(each, tokens.slice(0, -1))),
    ),
  );
  const isValidated = ([{ event, tokens, value }, { sensitive, tests }]: [Target, TargetResults]): boolean =>
    value === undefined &&
    !holders.has(createKey(event, tokens)) &&
    REFUSED_TYPES.some((type) => sensitive.has(type)) &&
    REFUSED_TYPES.every((type) => sensitive.has(type) || !tests.has(type)) &&
    !sensitive.has("changed") &&
    (tests.get("changed") ?? 0) > 0;
  return new Set([...results].flatMap((each) => (isValidated(each) ? [each[0].event] : [])));
}

/**
 * Returns which edits of a target matter, and which are not known. A validator refuses whole events, which may not matter in
 * the streams of the experiments, so a refused value of a validated event is never certain to make no difference.
 */
function summarize(target: Target, targetResults: TargetResults, isValidated: boolean): EditResults {
  const { sensitive, doubtful, tests, halfTests, isRead } = targetResults;
  const isSensitive = (edit: LensEdit): boolean => sensitive.has(edit);
  // A consumer may compare a number, a length or a count with a limit.
  const hasUntriedHalf = target.value === undefined && hasRange(target.ranges) && halfTests < MIN_VALUE_TESTS;
  const isKnown = (edit: LensEdit): boolean =>
    (tests.get(edit) ?? 0) >= (target.value === undefined ? MIN_TESTS : MIN_VALUE_TESTS) &&
    !(edit === "changed" && hasUntriedHalf) &&
    !doubtful.has(edit) &&
    !isRead &&
    !(isValidated && REFUSED_TYPES.includes(edit));
  const sources = LENS_EDITS.map((edit) => [edit, findSource(target, edit, { sensitive, tests })] as const);
  const findDoubt = (edit: LensEdit) => {
    if (!tests.has(edit) && !doubtful.has(edit) && !isRead) return "untried";
    return edit === "changed" && hasUntriedHalf && !isRead ? "one half" : "inconclusive";
  };
  return {
    sensitive: new Set(sources.filter(([, source]) => isSensitive(source)).map(([edit]) => edit)),
    unknown: new Map(
      sources
        .filter(([, source]) => !isSensitive(source) && !isKnown(source))
        .map(([edit, source]) => [edit, findDoubt(source)]),
    ),
  };
}

/** Returns the edit whose result counts for `edit`: another one if the target cannot have the edit itself. */
function findSource(
  { tokens, value, values }: Target,
  edit: LensEdit,
  { sensitive, tests }: Pick<TargetResults, "sensitive" | "tests">,
): LensEdit {
  const isTried = sensitive.has(edit) || tests.has(edit);
  // An event type, and a listed value of a field, have two edits only.
  if (tokens.length === 0) return edit === "renamed" ? "renamed" : "removed";
  const isChanged = sensitive.has("changed") || tests.has("changed");
  // Values that a list does not have are either accepted or refused.
  if (value !== undefined) return isTried ? edit : isChanged ? "changed" : findTypeEdit(value);
  if (edit === "renamed" && !hasName(tokens)) return "removed";
  // Readers may refuse no value of a type, and refuse each other value of a constant.
  if (REFUSED_TYPES.includes(edit) && !isTried) return "changed";
  return edit === "changed" && !isTried && values.length === 1 ? findTypeEdit(values[0] ?? null) : edit;
}

/**
 * Replaces values that matter in each respect, and all that they contain, by one path. Leaves out the parts without effect of
 * a value without effect.
 */
function mergeBelow(paths: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const merged = new Map(paths);
  for (const path of [...paths.keys()].sort((a, b) => a.length - b.length)) {
    const below = [...merged.keys()].filter((each) => each.startsWith(`${path}/`));
    const edits = merged.get(path);
    if (edits === "none") {
      for (const [each, editsOfValue] of merged)
        if (each.startsWith(`${path} = `) && !hasSensitiveEdit(editsOfValue)) merged.delete(each);
      if (path !== "") for (const each of below) if (merged.get(each) === "none") merged.delete(each);
    }
    if (below.length === 0) continue;
    if (edits !== "all" || !below.every((each) => paths.get(each) === "all")) continue;
    for (const each of [path, ...below]) merged.delete(each);
    merged.set(path + EVERYTHING_BELOW, "all");
  }
  return merged;
}

function hasSensitiveEdit(edits: string): boolean {
  return edits !== "none" && edits.split(" ").some((edit) => !edit.includes("?"));
}

function groupByEdits(paths: ReadonlyMap<string, string>): { [edits: string]: string[] } {
  return Object.fromEntries(
    [...groupBy(paths, ([, edits]) => edits)]
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([edits, list]) => [edits, list.map(([path]) => path).sort(compareTexts)]),
  );
}
