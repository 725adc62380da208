/** If this fails, a reviewed case of test/cases/contain gets another verdict in some dialect. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Containment,
  type ContainmentOptions,
  checkContainment,
} from "../../generator/contain/contain.js";
import { canonical, type Json } from "../../generator/json.js";
import type { Dialect } from "../../generator/schema/dialects.js";

/**
 * Two schemas, and whether `a` is contained in `b` (`ab`) and `b` in `a` (`ba`). The verdict null means undecided. A
 * direction without a verdict is not tested.
 */
interface Case {
  readonly name: string;
  readonly a: Json;
  readonly b: Json;
  readonly ab?: boolean | null;
  readonly ba?: boolean | null;
  readonly dialect?: Dialect;
  readonly options?: ContainmentOptions;
}

const folder = path.join(import.meta.dirname, "..", "cases", "contain");
const VERDICT = { true: "contained", false: "not-contained", null: "undecided" } as const;

for (const file of readdirSync(folder).sort()) {
  const cases = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as readonly Case[];
  describe(file, () => {
    it.each(cases)("$name", async ({ a, b, ab, ba, dialect, options }) => {
      const all = { ...options, ...(dialect && { dialect }) };
      if (ab !== undefined)
        expect(describeAnswer(await checkContainment(a, b, all), ab)).toEqual(VERDICT[`${ab}`]);
      if (ba !== undefined)
        expect(describeAnswer(await checkContainment(b, a, all), ba)).toEqual(VERDICT[`${ba}`]);
      const first = await checkContainment(a, b, all);
      expect(canonical((await checkContainment(a, b, all)) as unknown as Json)).toBe(
        canonical(first as unknown as Json),
      );
    });
  });
}

/** Returns the verdict; the whole answer if it is not the expected verdict. */
function describeAnswer(answer: Containment, expected: boolean | null): string {
  return answer.verdict === VERDICT[`${expected}`] ? answer.verdict : JSON.stringify(answer);
}
