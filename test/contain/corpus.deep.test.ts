/**
 * If this fails, verdicts on schemas of other authors are wrong. The test needs the public containment suite beside the
 * repository. A verdict that contradicts a label of the suite is wrong, unless its witness refutes the label. A witness
 * refutes a label if Ajv and hyperjump accept it under the left schema and refuse it under the right one.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { registerSchema, unregisterSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { checkContainment } from "../../generator/contain/contain.js";
import type { Json } from "../../generator/json.js";

/** A row of the suite: two schemas, and whether each is contained in the other. A label is null if it is unknown. */
interface Row {
  readonly id: string;
  readonly a: Json;
  readonly b: Json;
  readonly aSubB: boolean | null;
  readonly bSubA: boolean | null;
  readonly category: string;
}

const file = path.join(import.meta.dirname, "../../../shared/data/containment-2020-12.jsonl");
const COLUMNS = ["right", "wrong", "undecided", "label refuted"] as const;
type Column = (typeof COLUMNS)[number];

describe.skipIf(!existsSync(file))("public containment suite (skipped when ../shared/data is absent)", () => {
  it("gives no wrong answer and decides at least 97 %", async () => {
    const table = new Map<string, Record<Column, number>>();
    const witnessSizes: number[] = [];
    for (const row of readRows()) {
      const line = table.get(row.category) ?? { right: 0, wrong: 0, undecided: 0, "label refuted": 0 };
      table.set(row.category, line);
      for (const [a, b, label] of listDirections(row)) {
        const answer = await checkContainment(a, b);
        if (answer.verdict === "not-contained") witnessSizes.push(JSON.stringify(answer.witness).length);
        if (answer.verdict === "undecided") line.undecided++;
        else if ((answer.verdict === "contained") === label) line.right++;
        else if (answer.verdict === "not-contained" && (await isCounterexample(a, b, answer.witness)))
          line["label refuted"]++;
        else line.wrong++;
      }
    }
    const total = sumLines([...table.values()]);
    console.table(Object.fromEntries([...table, ["all", total]]));
    const questions = COLUMNS.reduce((count, column) => count + total[column], 0);
    expect(total.wrong).toBe(0);
    expect(total["label refuted"]).toBeLessThanOrEqual(1);
    expect(1 - total.undecided / questions).toBeGreaterThanOrEqual(0.97);
    const medianSize = witnessSizes.sort((x, y) => x - y)[Math.floor(witnessSizes.length / 2)];
    expect(medianSize).toBeLessThan(120);
  });
});

function readRows(): readonly Row[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}

function listDirections({ a, b, aSubB, bSubA }: Row): readonly (readonly [Json, Json, boolean])[] {
  const both = [[a, b, aSubB] as const, [b, a, bSubA] as const];
  return both.flatMap(([left, right, label]) => (label === null ? [] : [[left, right, label] as const]));
}

function sumLines(lines: readonly Record<Column, number>[]): Record<Column, number> {
  const add = (column: Column) => lines.reduce((count, line) => count + line[column], 0);
  return Object.fromEntries(COLUMNS.map((column) => [column, add(column)])) as Record<Column, number>;
}

async function isCounterexample(a: Json, b: Json, witness: Json): Promise<boolean> {
  const isValidForAjv = (schema: Json) =>
    new Ajv2020({ strict: false, validateFormats: false }).validate(schema as object, witness);
  if (!isValidForAjv(a) || isValidForAjv(b)) return false;
  return (await isValidForHyperjump(a, witness)) && !(await isValidForHyperjump(b, witness));
}

async function isValidForHyperjump(schema: Json, value: Json): Promise<boolean> {
  const uri = "https://corpus.invalid/schema";
  registerSchema(
    schema as Parameters<typeof registerSchema>[0],
    uri,
    "https://json-schema.org/draft/2020-12/schema",
  );
  try {
    return (await validate(uri))(value as Parameters<Awaited<ReturnType<typeof validate>>>[0]).valid;
  } finally {
    unregisterSchema(uri);
  }
}
