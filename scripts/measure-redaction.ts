/**
 * Measures how many secrets of the corpus in test/cases/secrets `accrete redact` finds (recall), and how much of what it finds
 * is a secret (precision). `--failures seen` also lists what is missed and what is masked wrongly in the half of the forms
 * and wrappings with which the detectors are written. Do not look at the failures of the other half: its figures show how
 * well secrets are found that nobody thought of.
 *
 *     npm run measure:redaction [-- --failures seen]
 */
import { parseArgs } from "node:util";
import { loadSchemas } from "../generator/load/load.js";
import { createValidators } from "../generator/validators/protocol-validators.js";
import { countFigures, findSpans, measureCases, PARTS } from "../test/redact/measure-secrets.js";
import { createCorpus } from "../test/redact/secret-corpus.js";

const { values } = parseArgs({ options: { failures: { type: "string" } } });
const { protocols } = await loadSchemas("schemas");
const results = measureCases(createCorpus(), findSpans, protocols.map(createValidators));

console.table(
  Object.fromEntries(
    Object.entries(PARTS).map(([name, isPart]) => {
      const figures = countFigures(results.filter(({ corpusCase }) => isPart(corpusCase)));
      const { recall, precision, ...counts } = figures;
      return [name, { ...counts, recall: recall.toFixed(4), precision: precision.toFixed(4) }];
    }),
  ),
);

if (values.failures === "seen")
  for (const { corpusCase, spans, secrets, found, wrong } of results) {
    const { form, wrapping, segments } = corpusCase;
    if (!PARTS["seen forms, seen wrappings"](corpusCase) || (found === secrets && wrong === 0)) continue;
    const text = segments.map((each) => each.text).join("");
    const masked = spans.map(({ start, stop }) => text.slice(start, stop));
    console.log(JSON.stringify({ form, wrapping, secrets, found, wrong, text, masked }));
  }
