/**
 * Measures how many secrets of the corpus in test/cases/secrets `accrete redact` finds (recall), and how much of what it masks
 * is a secret (precision), and writes the figures into docs/adapters.md. `--failures` also lists what is missed and what is
 * masked wrongly in the half of the forms and of the ways of writing with which the detectors are written. The other half is
 * never listed: its figures show how well secrets are found at which nobody looked.
 *
 *     npm run measure:redaction [-- --failures]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadSchemas } from "../generator/load/load.js";
import { createValidators } from "../generator/validators/protocol-validators.js";
import { findSpans, formatFigures, measureCases, PARTS } from "../test/redact/measure-secrets.js";
import { createCorpus } from "../test/redact/secret-corpus.js";
import { replacePart } from "./architecture/page-part.js";

const PAGE = "docs/adapters.md";

const { values } = parseArgs({ options: { failures: { type: "boolean", default: false } } });
const { protocols } = await loadSchemas("schemas");
const results = measureCases(createCorpus(), findSpans, protocols.map(createValidators));
const table = formatFigures(results);
console.log(table);
writeFileSync(PAGE, replacePart(readFileSync(PAGE, "utf8"), "redaction", table));

if (values.failures)
  for (const { corpusCase, spans, secrets, found, wrong } of results) {
    const { form, wrapping, segments } = corpusCase;
    if (!PARTS["seen forms, seen ways of writing"](corpusCase) || (found === secrets && wrong === 0))
      continue;
    const text = segments.map((each) => each.text).join("");
    const masked = spans.map(({ start, stop }) => text.slice(start, stop));
    console.log(JSON.stringify({ form, wrapping, secrets, found, wrong, text, masked }));
  }
