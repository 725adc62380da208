/** Judges the answers about all generated stream contracts, or about a sample of them. */
import path from "node:path";
import { makeSides } from "../../generator/compat/streams/stream-sides.js";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { StreamRules } from "../../generator/protocol/stream-rules.js";
import { createRandom } from "../../generator/random.js";
import {
  type ContractFields,
  type FieldKind,
  KINDS,
  listRulePairs,
  MEMBERS,
  writeContract,
} from "./contracts.js";
import { judgeQuestion } from "./judge-contracts.js";
import { findMergeMistakes } from "./merged-states.js";

/** Which contracts are judged. */
interface Selection {
  readonly member?: string;
  /** Only one of so many contracts is judged. */
  readonly every: number;
  readonly seed: number;
}

/** The number of answers of each kind. */
export interface Counts {
  contracts: number;
  answers: number;
  broken: number;
  contained: number;
  undecided: number;
  wrong: number;
}

/** What contracts have besides the rules that differ: the form of events, and the rules that stand on both sides. */
interface Frame extends Pick<ContractFields, "isNumbered" | "isComplete" | "isNarrow"> {
  readonly rules: JsonObject;
}

/** Rules that depend on where events may be missing, and on where streams end. */
const CONTEXT_RULES: JsonObject = {
  counts: [{ type: "e1", field: "n", of: ["e2"], key: "key", start: ["e3"] }],
  lifecycles: [{ key: "key", start: ["e1"], end: ["e2"], needsStart: true }],
};

const FRAMES: readonly [Frame, ...Frame[]] = [
  { isNumbered: true, isComplete: false, isNarrow: false, rules: {} },
  { isNumbered: true, isComplete: false, isNarrow: false, rules: { gaps: [{ type: "e4" }] } },
  {
    isNumbered: false,
    isComplete: false,
    isNarrow: false,
    rules: { terminal: { opens: ["e1"], types: ["e4"] } },
  },
  { isNumbered: true, isComplete: true, isNarrow: false, rules: {} },
  { isNumbered: true, isComplete: true, isNarrow: true, rules: {} },
  { isNumbered: false, isComplete: false, isNarrow: true, rules: {} },
  { isNumbered: true, isComplete: false, isNarrow: false, rules: CONTEXT_RULES },
  { isNumbered: false, isComplete: false, isNarrow: false, rules: CONTEXT_RULES },
];

/**
 * Judges both directions of each selected contract, and which states their searches count as equal. `print` gets a line for each
 * answer that is wrong or undecided.
 */
export async function judgeGeneratedContracts(
  folder: string,
  selection: Selection,
  print: (line: string) => void,
): Promise<Counts> {
  const counts: Counts = { contracts: 0, answers: 0, broken: 0, contained: 0, undecided: 0, wrong: 0 };
  for await (const { name, ...contract } of listContracts(folder, selection)) {
    counts.contracts++;
    const forward = makeSides(contract.before, contract.after, "forward");
    const mistakes = await findMergeMistakes(forward, createRandom(selection.seed + counts.contracts));
    counts.wrong += mistakes.length;
    for (const { why, events } of mistakes) print(`WRONG: ${name}: ${why}: ${JSON.stringify(events)}`);
    for (const direction of ["forward", "backward"] as const) {
      const seed = counts.answers + selection.seed;
      const judgement = await judgeQuestion({ ...contract, direction, seed });
      counts.answers++;
      if (judgement.kind === "right") counts[judgement.verdict]++;
      else counts[judgement.kind]++;
      if (judgement.kind === "undecided") print(`undecided: ${name} ${direction}: ${judgement.reason}`);
      if (judgement.kind === "wrong")
        print(
          `WRONG: ${name} ${direction}: ${judgement.verdict}, but ${judgement.why}: ${JSON.stringify(judgement.events)}`,
        );
    }
  }
  return counts;
}

/** A change of one declaration. */
interface GeneratedContract {
  readonly name: string;
  readonly before: Protocol;
  readonly after: Protocol;
  readonly fields: ContractFields;
}

/** Yields each selected contract. Writes its schemas to the folder. */
async function* listContracts(
  folder: string,
  { member: wanted, every, seed }: Selection,
): AsyncGenerator<GeneratedContract> {
  const random = createRandom(seed);
  for (const member of MEMBERS.filter((each) => wanted === undefined || each === wanted))
    for (const [a, b] of listKindPairs())
      for (const pair of listRulePairs(member, {})) {
        if (every > 1 && !random.chance(1 / every)) continue;
        const { rules: sharedRules, ...form } = FRAMES[random.below(FRAMES.length)] ?? FRAMES[0];
        const fields = { ...form, a: getKind(a), b: getKind(b) };
        const base = await loadBase(path.join(folder, `${a}-${b}-${JSON.stringify(form)}`), fields);
        const withRules = (rules: JsonObject): Protocol => ({
          ...base,
          stream: {
            key: ["id"],
            ...base.stream,
            rules: { ...sharedRules, ...rules } as unknown as StreamRules,
          },
        });
        const context = `${a}, ${b}; ${JSON.stringify({ ...form, ...sharedRules })}`;
        yield {
          name: `${member} ${pair.change} (${context})`,
          before: withRules(pair.before),
          after: withRules(pair.after),
          fields,
        };
      }
}

/** Returns the kinds of the two fields: equal ones, and each with the next one. */
function listKindPairs(): (readonly [string, string])[] {
  const names = Object.keys(KINDS);
  return names.flatMap((name, index) => [
    [name, name] as const,
    [name, names[(index + 1) % names.length] ?? name] as const,
  ]);
}

const bases = new Map<string, Promise<Protocol>>();

function loadBase(folder: string, fields: ContractFields): Promise<Protocol> {
  const load = async (): Promise<Protocol> => {
    writeContract(path.join(folder, "trial", "v1"), fields);
    const { protocols, findings } = await loadSchemas(folder);
    const errors = findings.filter(({ severity }) => severity === "error");
    const [protocol] = protocols;
    if (protocol === undefined || errors.length > 0) throw new Error(JSON.stringify(errors));
    return protocol;
  };
  const base = bases.get(folder) ?? load();
  bases.set(folder, base);
  return base;
}

function getKind(name: string): FieldKind {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`There is no kind ${name}.`);
  return kind;
}
