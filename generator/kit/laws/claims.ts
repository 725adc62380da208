/** The law that a consumer shows what it claims to show. */
import { formatCount } from "../../text.js";
import type { Claim, Fact } from "../claims.js";
import { listEventVariants, listValueVariants, tryVariants } from "../facts.js";
import type { FactResult } from "../format-score.js";
import type { Law } from "../law.js";
import { getPayload } from "../payload.js";
import type { Steps } from "../steps.js";
import { listTextFields, TEXTS } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { checkClaimedEnds } from "./ends.js";

/** Laws about claims. */
export const claimLaws: readonly Law[] = [
  {
    id: "claims-shown",
    law: "What a consumer claims to show, it shows: each claimed text as it is, and different values and ends in different ways.",
    needsClaims: true,
    makesStreams: true,
    *check(trial) {
      for (const claim of trial.claims) {
        for (const alternatives of claim.facts) yield* checkFacts(trial, claim, alternatives);
        for (const course of claim.courses) yield* checkClaimedEnds(trial, course, claim.name);
      }
    },
  },
];

/** Fails if none of the alternatives is shown. */
function* checkFacts(trial: Trial, { name }: Claim, alternatives: readonly Fact[]): Steps<void> {
  const results: { readonly fact: Fact; readonly result: FactResult }[] = [];
  for (const fact of alternatives) {
    const result = yield* tryFact(trial, fact);
    if (result.outcome === "shown") return;
    results.push({ fact, result });
  }
  const failed =
    results.find(({ result }) => result.outcome === "confused") ??
    results.find(({ result }) => result.outcome !== "untried");
  if (failed === undefined)
    return trial.fail(
      `${name} is claimed, but it cannot be tested: the kit finds no two streams that differ in it alone`,
    );
  const { fact, result } = failed;
  trial.setFixture(result.events ?? []);
  const more =
    alternatives.length > 1
      ? `, and the same holds for ${formatCount(alternatives.length - 1, "other field")}`
      : "";
  trial.fail(
    `${name} is claimed, but ${result.alike?.join(" and ")} ${describeFact(fact)} look alike${more}`,
  );
}

function describeFact({ type, field }: Fact): string {
  return field === undefined ? "in a stream" : `in ${field} of ${type}`;
}

function* tryFact(trial: Trial, { type, field }: Fact): Steps<FactResult> {
  if (field === undefined) return yield* tryVariants(trial, listEventVariants(trial, type));
  const result = yield* tryVariants(trial, listValueVariants(trial, type, field));
  const isText = listTextFields(trial.model).some((each) => each.type === type && each.field === field);
  // Texts may be trimmed, and numbers may be rounded.
  const differs = result.outcome === "shown" || result.outcome === "confused";
  if (differs && isText) return yield* findText(trial, type, field);
  const isNumber = result.alike?.every((value) => /^-?\d/.test(value));
  return result.outcome === "confused" && isNumber ? { outcome: "shown" } : result;
}

/** Returns whether a text of a field is in the snapshot as it is, wherever it may be. */
function* findText(trial: Trial, type: string, field: string): Steps<FactResult> {
  let result: FactResult = { outcome: "untried" };
  for (const { streams } of listValueVariants(trial, type, field))
    for (const events of streams) {
      const text = String(getPayload(trial.protocol, events.at(-1) ?? {})[field]);
      const view = TEXTS.some((each) => each === text) ? yield* trial.tryView(events) : undefined;
      if (view === undefined) continue;
      if (JSON.stringify(view).includes(text)) return { outcome: "shown" };
      result = { outcome: "blind", alike: [`"${text}"`, "texts without these words"], events };
    }
  return result;
}
