/** If this fails, docs/adapters.md promises that more secrets are found than are, or that fewer harmless texts are masked. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { readPart } from "../../scripts/architecture/page-part.js";
import { deep, quick } from "../depth.js";
import { countFigures, findSpans, formatFigures, measureCases, PARTS } from "./measure-secrets.js";
import { createCorpus, LOOK_ALIKE_TEMPLATES, SECRET_TEMPLATES } from "./secret-corpus.js";

const LEAST_RECALL = 0.97;
const LEAST_PRECISION = 0.99;

/** The quick tests read each tenth text that is not sent in pieces. */
const STEP = 10;

const corpus = createCorpus();

describe.each(Object.entries(PARTS))("of %s", (_part, isPart) => {
  quick.it("nearly all secrets are found, and hardly anything else", () => {
    const cases = corpus.filter((each) => isPart(each) && each.cuts === undefined);
    const { recall, precision, flagged, lookAlikes } = countFigures(
      measureCases(
        cases.filter((_, index) => index % STEP === 0),
        findSpans,
      ),
    );
    expect(recall).toBeGreaterThanOrEqual(LEAST_RECALL);
    expect(precision).toBeGreaterThanOrEqual(LEAST_PRECISION);
    expect(flagged / lookAlikes).toBeLessThanOrEqual(1 - LEAST_PRECISION);
  });
});

it("the corpus has as many forms as the page says", () => {
  const page = readFileSync("docs/adapters.md", "utf8").replace(/\s+/g, " ");
  const forms = Object.keys(SECRET_TEMPLATES).length;
  expect(page).toContain(`${forms} forms of secrets`);
  expect(page).toContain(`${LOOK_ALIKE_TEMPLATES.length} harmless texts`);
  const others = new Set(corpus.map(({ wrapping }) => wrapping)).size - 1;
  expect(page).toContain(`in up to ${others} other ways`);
});

deep.it("the figures are those of docs/adapters.md, and none is below the bars", async () => {
  const { protocols } = await loadSchemas("schemas");
  const results = measureCases(corpus, findSpans, protocols.map(createValidators));
  expect(readPart(readFileSync("docs/adapters.md", "utf8"), "redaction")).toBe(formatFigures(results));
  for (const isPart of Object.values(PARTS)) {
    const { recall, precision } = countFigures(results.filter(({ corpusCase }) => isPart(corpusCase)));
    expect(recall).toBeGreaterThanOrEqual(LEAST_RECALL);
    expect(precision).toBeGreaterThanOrEqual(LEAST_PRECISION);
  }
});
