/** Compares the decoders of other languages with the verdicts of generated vectors. */

import { listUncheckedKeywords } from "../../generator/emit/plan/unchecked-keywords.js";
import { emitVectors, type Vector, type Verdict } from "../../generator/emit/vectors/vectors.js";
import { getValueAtPointer, type Json } from "../../generator/json.js";
import { readFixtureEvents } from "../../generator/load/fixtures.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Coverage } from "../../generator/schema/describe.js";

/** Returns the vectors of a protocol with its fixtures. */
export function makeVectors(protocol: Protocol): Vector[] {
  const { content } = emitVectors(protocol, readFixtureEvents(`fixtures/${protocol.id}`));
  const [, ...lines] = content.trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Returns the difference between the verdict of a decoder and that of the reader; undefined if there is none, or it is declared. */
export function findVerdictDifference(
  { id, event, reader }: Vector,
  decoded: Verdict["kind"],
  coverage: Coverage,
): string | undefined {
  if (decoded === reader.kind) return undefined;
  const unchecked = new Set(listUncheckedKeywords(coverage).map(({ keyword }) => keyword));
  const isUnchecked = ({ pointer, keyword }: VerdictFinding): boolean =>
    LISTS.includes(keyword)
      ? !isInCheckedList(getValueAtPointer(event, pointer), unchecked.has(keyword))
      : unchecked.has(keyword);
  if (reader.kind === "invalid" && listDecisiveFindings(reader).every(isUnchecked)) return undefined;
  return `${id}: ${decoded} instead of ${JSON.stringify(reader)}`;
}

type InvalidVerdict = Extract<Verdict, { kind: "invalid" }>;

type VerdictFinding = InvalidVerdict["findings"][number];

/** Keywords that list values. */
const LISTS = ["const", "enum"];

/** Returns true if every language compares such a value with listed ones. Where the keyword counts as unchecked, only texts are compared. */
function isInCheckedList(value: Json | undefined, isUnchecked: boolean): boolean {
  return (
    typeof value === "string" || (!isUnchecked && (typeof value === "boolean" || Number.isInteger(value)))
  );
}

/** Keywords whose finding stands after the findings of their branches. */
const WITH_BRANCHES = ["anyOf", "oneOf", "propertyNames", "if", "not", "contains"];

/** Returns the findings without those of branches, which matter only together. */
function listDecisiveFindings({ findings }: InvalidVerdict): readonly VerdictFinding[] {
  return findings.filter(({ pointer }, i) => {
    const later = findings.slice(i + 1);
    return !later.some((one) => WITH_BRANCHES.includes(one.keyword) && isBelow(pointer, one.pointer));
  });
}

function isBelow(pointer: string, other: string): boolean {
  return pointer === other || pointer.startsWith(`${other}/`);
}
