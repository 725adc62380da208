import { existsSync, readFileSync } from "node:fs";
import { UsageError } from "../failure.js";
import { createErrorFinding, type Finding } from "../finding.js";
import { toForwardSlashes } from "../io.js";
import { createDocumentCheck } from "../load/document-check.js";
import { createDocumentFinding, type DocumentWords } from "../load/document-finding.js";
import { readBytes } from "../load/read-bytes.js";
import { didYouMean } from "../nearest.js";
import { parseSource, type Source } from "../source/source.js";
import { FAULTS, type FaultPlan, type FaultSetting, isFaultName } from "./fault.js";

const NAMES = Object.keys(FAULTS);

/** Reads the value of `--faults`: a list of names, or a file that ends with `.json`. Returns the findings of an invalid file. */
export function readFaults(value: string, seed: number | undefined): FaultPlan | readonly Finding[] {
  if (value.endsWith(".json")) return readPlan(value, seed);
  const names = value.split(",").map((name) => name.trim());
  const faults = [...new Set(names)].map((fault): FaultSetting => {
    if (isFaultName(fault)) return { fault };
    throw new UsageError(
      `Unknown fault "${fault}"${didYouMean(fault, NAMES)} The faults are ${NAMES.join(", ")}. The name of a file with faults ends with .json.`,
    );
  });
  return { seed: seed ?? 1, faults };
}

function readPlan(file: string, seed: number | undefined): FaultPlan | readonly Finding[] {
  if (!existsSync(file)) throw new UsageError(`File not found: ${file}`);
  const parsed = parseSource(toForwardSlashes(file), readBytes(file));
  if ("findings" in parsed) return parsed.findings;
  const { value: plan, errors } = checkPlan(parsed.source.document);
  if (plan === undefined) return errors.map((error) => createDocumentFinding(error, WORDS, parsed.source));
  const unused = plan.faults.flatMap((setting, index) => findUnusedOptions(parsed.source, setting, index));
  return unused.length > 0 ? unused : { seed: seed ?? plan.seed ?? 1, faults: plan.faults };
}

const checkPlan = createDocumentCheck<{ readonly seed?: number; readonly faults: readonly FaultSetting[] }>(
  JSON.parse(readFileSync(new URL("../serve/faults.schema.json", import.meta.url), "utf8")),
);

const WORDS: DocumentWords = { rule: "faults-invalid", document: "The plan", value: "fault" };

/** Reports options that a fault does not take, because they would have no effect. */
function findUnusedOptions(source: Source, setting: FaultSetting, index: number): Finding[] {
  const allowed = ["fault", "run", ...Object.keys(FAULTS[setting.fault])];
  return Object.keys(setting)
    .filter((name) => !allowed.includes(name))
    .map((name) => {
      const message = `${setting.fault} takes ${allowed.slice(1).join(", ")}, not ${name}.`;
      return createErrorFinding("faults-invalid", message, source.locateKey(`/faults/${index}/${name}`));
    });
}
