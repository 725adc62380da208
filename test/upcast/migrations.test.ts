/**
 * If this fails, a plan loses a value, puts it under the name of another field, or is certified although it leaves a statement
 * out. What becomes of events is decided by hand.
 */
import { describe, expect, it } from "vitest";
import { chooseCases } from "../depth.js";
import { createTemporaryFolder } from "../folders.js";
import { CHAINS } from "./migrations/chains.js";
import { checkMigration } from "./migrations/check-migration.js";
import { CONVERSIONS } from "./migrations/conversions.js";
import { DOWNCASTS } from "./migrations/downcasts.js";
import { RECURSIONS } from "./migrations/recursions.js";
import { RENAMES } from "./migrations/renames.js";
import { STATEMENTS } from "./migrations/statements.js";
import { STEPS } from "./migrations/steps.js";
import { TEXTS } from "./migrations/texts.js";
import { TWISTS } from "./migrations/twists.js";
import { UNIONS } from "./migrations/unions.js";

/** Migrations of which each is decided by itself. */
const SPECIAL = [
  ...UNIONS,
  ...RECURSIONS,
  ...STEPS,
  ...STATEMENTS,
  ...CONVERSIONS,
  ...TEXTS,
  ...CHAINS,
  ...DOWNCASTS,
  ...TWISTS,
];
const isDeep = process.env.ACCRETE_TEST_DEPTH === "deep";

const isWhole = isDeep && process.env.ACCRETE_TEST_MIGRATIONS === "all";
/** The random events of each migration. */
const EVENT_COUNT = isWhole ? 1000 : isDeep ? 200 : 30;

/** The quick tests, and the deep ones: every twelfth migration, or all with `ACCRETE_TEST_MIGRATIONS=all`. */
const cases = [...chooseCases(SPECIAL, 8), ...chooseCases(RENAMES, 8)].filter(
  (_, index) => !isDeep || isWhole || index % 12 === 0,
);

describe("a migration gives the events that were decided by hand, in every form", {
  timeout: isWhole ? 600_000 : 60_000,
}, () => {
  it.each(cases)("$name", async (migration) => {
    const options = { events: EVENT_COUNT, otherForms: true };
    const { verdict, events, ...faults } = await checkMigration(migration, createTemporaryFolder(), options);
    expect(verdict).toBe(migration.verdict ?? "proven");
    expect(faults).toEqual({ different: [], refused: [], misplaced: [] });
    if (verdict === "proven") expect(events).toBeGreaterThan(options.events / 2);
  });
});
