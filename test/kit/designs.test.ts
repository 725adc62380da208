/** If this fails, the kit blames a correct consumer of a part of a protocol, or misses a bug in one. */
import { describe, expect, it } from "vitest";
import { type Adapter, consumerCases, type KitProtocol } from "../../generator/kit/index.js";
import { chooseCases, deep, quick, thinCases } from "../depth.js";
import { DESIGN_BUGS } from "./designs/bugs.js";
import { FURTHER_EVVA, FURTHER_FRAMES, FURTHER_HECATE } from "./designs/further-bugs.js";
import { createBuggyAdapter, DESIGNS, listCorrectAdapters } from "./designs/plant.js";
import { UNSEEN_EVVA, UNSEEN_FRAMES, UNSEEN_HECATE } from "./designs/unseen-bugs.js";

async function findFirstBrokenLaw(
  adapter: Adapter,
  protocol: KitProtocol,
  runs = 1,
): Promise<string | undefined> {
  for (const { id, skipped, run } of consumerCases(adapter, { protocol, runs }))
    try {
      if (skipped === undefined) await run();
    } catch (error) {
      return `${id}: ${String(error)}`;
    }
  return undefined;
}

const correct = DESIGNS.flatMap((designs) =>
  listCorrectAdapters(designs).map(
    ([name, adapter]) => [designs.protocol.id, name, designs.protocol, adapter] as const,
  ),
);

describe("a correct consumer of a part keeps all laws", () => {
  it.each(chooseCases(correct, 3, 80))("%s: %s", async (_id, _name, protocol, adapter) => {
    expect(await findFirstBrokenLaw(adapter, protocol)).toBeUndefined();
  });
});

const bugs = DESIGNS.flatMap((designs) =>
  (DESIGN_BUGS[designs.protocol.id] ?? []).map(
    (bug) => [designs.protocol.id, bug.design, bug.name, designs, bug] as const,
  ),
);

it.each(
  chooseCases(
    DESIGNS.toReversed().map(({ protocol }) => [protocol.id, protocol] as const),
    1,
    1,
  ),
)("a consumer of %s that shows nothing is told so", async (_id, protocol) => {
  const adapter = { create: () => ({ push: () => undefined, snapshot: () => "" }) };
  expect(await findFirstBrokenLaw(adapter, protocol)).toMatch(/^shows-something: .*No event changes/s);
});

describe("a bug in a consumer of a part", () => {
  quick.it("is planted at least 50 times in hecate/v1, and 150 times in all", () => {
    const real = bugs.filter(([, , , , bug]) => bug.harmless === undefined);
    expect(real.filter(([id]) => id === "hecate/v1").length).toBeGreaterThan(50);
    expect(real.length).toBeGreaterThan(150);
  });

  const isMissed = ([, , , , { missed }]: (typeof bugs)[number]): boolean => missed !== undefined;
  const real = bugs.filter(([, , , , { harmless }]) => harmless === undefined);

  quick.it("is caught in at least 95 % of the cases that laws were written with", () => {
    const unseen = new Set(
      [
        ...[...UNSEEN_HECATE, ...UNSEEN_FRAMES, ...UNSEEN_EVVA],
        ...[...FURTHER_HECATE, ...FURTHER_FRAMES, ...FURTHER_EVVA],
      ].map(([design, name]) => `${design}: ${name}`),
    );
    const seen = real.filter(([, design, name]) => !unseen.has(`${design}: ${name}`));
    expect(seen.length).toBeGreaterThan(150);
    expect(seen.filter(isMissed).length / seen.length).toBeLessThan(0.05);
  });

  deep.it.each(thinCases(real.filter(isMissed), 24))(
    "that is listed as missed is missed: %s, %s %s",
    async (_id, _design, _name, designs, bug) => {
      expect(
        await findFirstBrokenLaw(await createBuggyAdapter(designs, bug), designs.protocol, 20),
      ).toBeUndefined();
    },
  );

  deep.it.each(
    thinCases(
      real.filter((each) => !isMissed(each)),
      40,
    ),
  )("is caught: %s, %s %s", async (_id, _design, _name, designs, bug) => {
    expect(
      await findFirstBrokenLaw(await createBuggyAdapter(designs, bug), designs.protocol, 20),
    ).toBeDefined();
  });

  it.each(
    chooseCases(
      bugs.filter(([, , , , { harmless }]) => harmless !== undefined),
      2,
    ),
  )("that is none is not blamed: %s, %s %s", async (_id, _design, _name, designs, bug) => {
    expect(
      await findFirstBrokenLaw(await createBuggyAdapter(designs, bug), designs.protocol),
    ).toBeUndefined();
  });
});
