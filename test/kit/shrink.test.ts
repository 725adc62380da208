/** If this fails, the stream of a failure is not the smallest one, or shows another failure. */
import { expect, it } from "vitest";
import { LAWS } from "../../generator/kit/laws/laws.js";
import { findFailedCheck } from "../../generator/kit/run-law.js";
import { prepareContext } from "../../generator/kit/scenarios.js";
import { findSameFailure, listSmaller, shrinkFailure } from "../../generator/kit/shrink-failure.js";
import { runSteps } from "../../generator/kit/steps.js";
import { chooseCases, isDeep, thinCases } from "../depth.js";
import { BUGS } from "./bugs.js";
import { DESIGN_BUGS } from "./designs/bugs.js";
import { createBuggyAdapter, DESIGNS } from "./designs/plant.js";
import { createPlantedAdapter, getProtocol } from "./planted.js";

/** Bugs, and a law that each of them breaks. */
const KNOWN = BUGS.map((bug) => ({
  name: bug.name,
  law: bug.breaks[0],
  protocol: getProtocol(bug),
  create: () => createPlantedAdapter(bug),
}));

/** Bugs of which only a check of all laws tells what they break. */
const OTHERS = DESIGNS.flatMap((designs) =>
  (DESIGN_BUGS[designs.protocol.id] ?? [])
    .filter(({ harmless }) => harmless === undefined)
    .map((bug) => ({
      name: `${designs.protocol.id}, ${bug.design}: ${bug.name}`,
      law: undefined,
      protocol: designs.protocol,
      create: () => createBuggyAdapter(designs, bug),
    })),
);

const makesStreams = (id: string | undefined): boolean =>
  LAWS.some((law) => law.id === id && law.makesStreams === true);

const BROKEN = [
  ...chooseCases(
    KNOWN.filter(({ law }) => makesStreams(law)),
    2,
    8,
  ),
  ...chooseCases(
    KNOWN.filter(({ law }) => !makesStreams(law)),
    2,
    8,
  ),
  ...(isDeep ? thinCases(OTHERS, 40) : []),
];

/** Laws whose streams are so long that they are not made smaller event by event. */
const EXCEPT = ["long-stream", "linear-cost", "large-chunk"];

it.each(BROKEN.map((each) => [each.name, each] as const))(
  "no event and no optional field can be left out of the stream for: %s",
  async (_name, { law: id, protocol, create }) => {
    const context = prepareContext(protocol, protocol.schemas, "writer");
    const adapter = await create();
    const run = { adapter, protocol, context, seed: 1, runs: 5, broken: new Set<string>() };
    for (const law of LAWS) {
      if (EXCEPT.includes(law.id) || (id !== undefined && law.id !== id)) continue;
      if (law.hook !== undefined || law.needsClaims || law.findSkipReason?.(protocol) !== undefined) continue;
      const failed = await runSteps(findFailedCheck(law, run));
      if (failed === undefined || "reason" in failed) continue;
      const smallest = await runSteps(shrinkFailure(failed));
      expect(smallest.failure.error.law).toBe(failed.failure.error.law);
      for (const smaller of listSmaller(failed, smallest))
        expect(await runSteps(findSameFailure(failed, smaller)), JSON.stringify(smaller)).toBeUndefined();
      return;
    }
  },
);
