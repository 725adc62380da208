/** The blocks of pages that the tests of pages do not run. */
import type { Block } from "./blocks.js";

const TEST_PACKAGE = "test/package runs it, and all other blocks of the page";

/** Blocks of pages that are not run, by page and first line, with the reason. */
export const NOT_RUN: { readonly [start: string]: string } = {
  "README.md npm test   # run the generated conformance tests": TEST_PACKAGE,
  "README.md npx vitest run timeline.test.mjs": TEST_PACKAGE,
  "docs/compatibility.md npm install zod@4 ai-5.0.53@npm:ai@5.0.53 ai-5.0.92@npm:ai@5.0.92":
    "it installs packages; test/rollout/published-chunks.test.ts runs it",
  "docs/compatibility.md events of  reader 5.0.53 strict  reader 5.0.92 strict":
    "it is the output of the block before",
  'docs/importing.md import { Schema } from "effect";': "it needs a package that the next block installs",
  "docs/importing.md npm install effect@4":
    "it installs packages; test/import/unusual-schemas.test.ts imports their output",
  "docs/importing.md npm install @typespec/compiler @typespec/json-schema":
    "it installs packages; test/import/unusual-schemas.test.ts imports their output",
  'docs/ag-ui.md import { writeFileSync } from "node:fs";': "it needs packages that the next block installs",
  "docs/ag-ui.md npm install --save-dev accrete-cli @ag-ui/core@1 zod@4":
    "it installs packages; npm run prove:messages imports the same schemas",
  "docs/ag-ui.md npx accrete-cli validate run.jsonl --profile writer":
    "it needs the import of a block before",
  "docs/monitoring.md npm install @platformatic/kafka   # on Node 20: @platformatic/kafka@1":
    "it needs a broker; test/monitor/brokers runs the command",
  "docs/monitoring.md npm install @nats-io/transport-node @nats-io/jetstream":
    "it needs a broker; test/monitor/brokers runs the command",
  "docs/monitoring.md npm install @opentelemetry/sdk-metrics @opentelemetry/resources @opentelemetry/exporter-metrics-otlp-http":
    "it installs packages; test/monitor/monitor.test.ts sends metrics",
  "docs/auditing.md npm install --prefix job accrete-cli   # only what the job needs":
    "it needs Spark; test/package runs it",
};

/** Returns whether a block is one of these. */
export const isNotRun = ({ at, text }: Block): boolean =>
  Object.hasOwn(NOT_RUN, `${at.split(":")[0]} ${text.split("\n")[0]}`);
