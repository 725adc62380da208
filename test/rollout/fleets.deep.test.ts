/**
 * If this fails, a team deploys in an order in which a reader refuses events, or is told that there is no safe order though there
 * is one, for contracts of each form, rollbacks and archives.
 */
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../folders.js";
import { FleetJudge, type FleetParts } from "./judge-fleets.js";
import { proveRandomFleet } from "./random-fleets.js";
import { runFleet } from "./run-fleet.js";
import { FORMS, type SmallContract } from "./small-contracts.js";

const BASE = { how: ["card", "cash"], most: 10, note: "none" } as const;

/** The contracts of the fleets. */
const CONTRACTS: { readonly [name: string]: SmallContract } = {
  base: { a: BASE },
  value: { a: { ...BASE, how: ["card", "cash", "voucher"] } },
  wide: { a: { ...BASE, most: 20 } },
  narrow: { a: { ...BASE, most: 5 } },
  noted: { a: { ...BASE, note: "optional" } },
  needs: { a: { ...BASE, note: "required" } },
  more: { a: BASE, b: BASE },
};

/**
 * Fleets, decided by hand: the versions of writers and of readers, one after the other, where `!` marks a strict reader; the
 * versions in an archive, which the first reader opens, or the reader that is named.
 */
const FLEETS: readonly (readonly [
  writers: string,
  readers: string,
  archive: string | undefined,
  answer: "safe" | "unsafe",
])[] = [
  // A new value of an open list.
  ["base>value", "base", undefined, "safe"],
  ["base>value", "base!", undefined, "unsafe"],
  ["base>value", "base!>value!", undefined, "safe"],
  ["base>value", "value!>base!", undefined, "unsafe"],
  ["base>value>base", "base!>value!>base!", undefined, "safe"],
  ["base>value>base", "base!>value!>base!", "base", "unsafe"],
  ["base>value>base", "base!>value!>base! value!", "base by 1", "safe"],
  ["base>value", "value!>base!>value!", undefined, "safe"],
  ["value", "value!>base!>value!", undefined, "unsafe"],
  ["value>base", "value!>base!>value!", undefined, "safe"],
  // A wider range.
  ["base>wide", "base", undefined, "unsafe"],
  ["base>wide", "base>wide", undefined, "safe"],
  ["base>wide>base", "base>wide>base", undefined, "safe"],
  ["base>wide>base", "base>wide>base", "base", "unsafe"],
  ["base>wide>base", "base", undefined, "unsafe"],
  ["base>wide>base", "base>wide", undefined, "safe"],
  ["base>wide>base", "base>wide>base wide", "base by 1", "safe"],
  ["wide>base", "wide>base", undefined, "safe"],
  ["wide>base", "wide>base", "wide", "unsafe"],
  ["wide>base", "wide", "wide", "safe"],
  ["wide", "base", undefined, "unsafe"],
  ["wide>base", "base", undefined, "unsafe"],
  ["base", "base", "wide", "unsafe"],
  ["base", "wide", "wide narrow", "safe"],
  ["base", "base>wide", "wide", "unsafe"],
  // A narrower range.
  ["base", "base>narrow", undefined, "unsafe"],
  ["base>narrow", "base>narrow", undefined, "safe"],
  ["base>narrow", "base>narrow", "base", "unsafe"],
  ["base>narrow>base", "base", undefined, "safe"],
  ["base>narrow>base", "base>narrow>base", undefined, "safe"],
  ["base>narrow>base", "base>narrow>base", "narrow", "unsafe"],
  ["base>wide>narrow", "base>wide>narrow", undefined, "safe"],
  ["base>wide>narrow", "base>narrow", undefined, "unsafe"],
  ["base>narrow>wide", "base>narrow>wide", undefined, "safe"],
  // A new field.
  ["base>noted", "base", undefined, "safe"],
  ["base>noted", "base!", undefined, "unsafe"],
  ["base>noted", "base!>noted!", undefined, "safe"],
  ["noted>base>noted", "noted!", undefined, "safe"],
  ["base>needs", "base>needs", undefined, "safe"],
  ["base>needs", "base>needs", "base", "unsafe"],
  ["base>needs", "base!>needs!", undefined, "unsafe"],
  ["base>needs", "base!>noted!>needs!", undefined, "safe"],
  ["base>needs", "base!>noted!>needs!", "base", "unsafe"],
  ["base>needs", "base!>noted!", "base", "safe"],
  ["needs>base", "needs>base", undefined, "safe"],
  ["needs>base", "needs!>noted!", undefined, "safe"],
  ["needs>base>needs", "needs>noted>needs", undefined, "safe"],
  ["needs>base>needs", "needs>noted>needs", "needs", "unsafe"],
  ["base>needs>base", "noted!", undefined, "safe"],
  ["base>needs>base", "noted!>needs!>noted!", undefined, "safe"],
  ["base>needs>base", "noted!>needs!>noted!", "needs", "unsafe"],
  // A new event type.
  ["base>more", "base", undefined, "safe"],
  ["base>more", "base!", undefined, "unsafe"],
  ["base>more", "base!>more!", undefined, "safe"],
  ["more>base", "more!>base!", undefined, "safe"],
  ["more>base", "more!>base!", "more", "unsafe"],
  ["more>base", "more>base", "more", "safe"],
  ["more>base>more", "more!>base!>more!", undefined, "safe"],
  ["more>base>more", "more!>base!", undefined, "unsafe"],
  // Several changes and parts.
  ["base>value base>wide", "base>wide", undefined, "safe"],
  ["base>value base>wide", "base!>wide!", undefined, "unsafe"],
  ["base>wide base>narrow", "base>wide", undefined, "safe"],
  ["base>wide", "base>wide base", undefined, "unsafe"],
  ["base>wide", "base>wide value>wide", undefined, "safe"],
  ["base>value>more", "base!>value!>more!", undefined, "unsafe"],
  ["base>value>more", "base>value>more", undefined, "safe"],
  ["base>value", "base>value", "base needs noted", "safe"],
  // Two changes in turn, versions that come again, and a second archive reader.
  ["base>value>wide", "base>value>wide", undefined, "safe"],
  ["base>value>wide", "base!>value!>wide!", undefined, "unsafe"],
  ["base", "base>narrow>base", undefined, "unsafe"],
  ["narrow", "base>narrow>base", undefined, "safe"],
  ["narrow", "base>narrow", "base", "unsafe"],
  ["narrow", "base>narrow wide", "base by 1", "safe"],
  ["base>more", "base! more!", undefined, "unsafe"],
  ["base>more", "base!>more! more!>base!", undefined, "unsafe"],
  ["more>base", "base!", undefined, "unsafe"],
  ["more>base", "base", undefined, "safe"],
  ["base>needs>noted", "base>needs>noted", undefined, "safe"],
  ["base>needs>noted", "base>needs>noted", "base", "unsafe"],
  ["base>needs>noted", "base>noted", "base", "safe"],
  ["base>wide needs", "base>wide", undefined, "safe"],
  ["base>wide needs", "needs>wide", undefined, "unsafe"],
  ["needs>wide needs", "needs>noted>wide", undefined, "safe"],
  ["base>value>base>value", "base!>value!", undefined, "safe"],
  ["base>value>base>value", "value!>base!>value!", undefined, "safe"],
  ["value>base>value", "value!>base!>value!", "base by 0", "unsafe"],
  ["base>wide>base>wide", "base>wide>base", undefined, "unsafe"],
  ["base>wide>base", "wide>base>wide", undefined, "safe"],
  ["base>value base>more", "base!>value! base>more!", undefined, "unsafe"],
  ["base>noted base>value", "base>noted! base", undefined, "unsafe"],
  ["base>noted base>narrow", "base!>noted! base!>noted!", undefined, "safe"],
];

function parseFleet(writers: string, readers: string, archive: string | undefined): FleetParts {
  const list = (text: string): string[][] => text.split(" ").map((each) => each.split(">"));
  const nameAll = <T>(role: string, parts: readonly T[]) =>
    Object.fromEntries(parts.map((part, index) => [`${role}${index}`, part]));
  const [holds = "", opener = "0"] = archive?.split(" by ") ?? [];
  return {
    writers: nameAll("w", list(writers)),
    readers: nameAll(
      "r",
      list(readers).map((versions) =>
        versions.map((each) => (each.endsWith("!") ? { version: each.slice(0, -1), strict: true } : each)),
      ),
    ),
    ...(archive !== undefined && { archives: { log: { holds: holds.split(" "), readers: [`r${opener}`] } } }),
  };
}

const names = Object.keys(CONTRACTS);

describe("accrete rollout decides as was decided by hand", () => {
  it.each(FLEETS.map((fleet, index) => [...fleet, index] as const))(
    "writers %s, readers %s, archive %s: %s",
    async (writers, readers, archive, answer, index) => {
      const parts = parseFleet(writers, readers, archive);
      // The forms of the versions differ within a fleet and between fleets.
      const { safe, steps } = await runFleet(
        createTemporaryFolder(),
        CONTRACTS,
        parts,
        (name) => FORMS[(index + names.indexOf(name)) % FORMS.length] ?? "schema",
      );
      expect(safe).toBe(answer === "safe");
      if (safe) expect(new FleetJudge(CONTRACTS).isSafeOrder(parts, steps)).toBe(true);
    },
  );
});

it("Ajv decides the fleets that were decided by hand in the same way", () => {
  const judge = new FleetJudge(CONTRACTS);
  const answers = FLEETS.map(([writers, readers, archive]) =>
    judge.hasSafeOrder(parseFleet(writers, readers, archive)) ? "safe" : "unsafe",
  );
  expect(answers).toEqual(FLEETS.map(([, , , answer]) => answer));
});

it("random fleets are decided as trying all events and all orders decides them", async () => {
  const answers = { safe: 0, unsafe: 0 };
  for (let seed = 1; seed <= 60; seed++) answers[await proveRandomFleet(seed, createTemporaryFolder())]++;
  expect(Math.min(answers.safe, answers.unsafe)).toBeGreaterThan(10);
}, 300_000);
