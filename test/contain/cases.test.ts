/** If this fails, a reviewed case of test/cases/contain gets another verdict. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type ContainmentOptions, checkContainment } from "../../generator/contain/contain.js";
import type { Json } from "../../generator/json.js";
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
      const allOptions = { ...options, ...(dialect && { dialect }) };
      const answer = await checkContainment(a, b, allOptions);
      if (ab !== undefined) expect(answer).toMatchObject({ verdict: VERDICT[`${ab}`] });
      if (ba !== undefined)
        expect(await checkContainment(b, a, allOptions)).toMatchObject({ verdict: VERDICT[`${ba}`] });
      // The same question has the same answer, and the same witness.
      expect(await checkContainment(a, b, allOptions)).toEqual(answer);
    });
  });
}
