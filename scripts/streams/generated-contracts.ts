/** Judges the answers about all generated stream contracts, or about a sample of them. */
import path from "node:path";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { StreamRules } from "../../generator/protocol/stream-rules.js";
import { createRandom } from "../../generator/random.js";
import { KINDS, listRulePairs, MEMBERS, writeContract } from "./contracts.js";
import { judgeQuestion } from "./judge-contracts.js";

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

/** How streams are numbered, and the rules that stand on both sides. */
const FRAMES: readonly { readonly isNumbered: boolean; readonly rules: JsonObject }[] = [
  { isNumbered: true, rules: {} },
  { isNumbered: true, rules: { gaps: [{ type: "e4" }] } },
  { isNumbered: false, rules: { terminal: { opens: ["e1"], types: ["e4"] } } },
];

/** Judges both directions of each selected contract. `print` gets a line for each answer that is wrong or undecided. */
export async function judgeGeneratedContracts(
  folder: string,
  { member: wanted, every, seed }: Selection,
  print: (line: string) => void,
): Promise<Counts> {
  const counts: Counts = { contracts: 0, answers: 0, broken: 0, contained: 0, undecided: 0, wrong: 0 };
  const random = createRandom(seed);
  for (const member of MEMBERS.filter((each) => wanted === undefined || each === wanted))
    for (const [a, b] of listKindPairs())
      for (const pair of listRulePairs(member, {})) {
        if (every > 1 && !random.chance(1 / every)) continue;
        const frame = FRAMES[random.below(FRAMES.length)] ?? { isNumbered: true, rules: {} };
        const base = await loadBase(folder, a, b, frame.isNumbered);
        const withRules = (rules: JsonObject): Protocol => ({
          ...base,
          stream: {
            key: ["id"],
            ...base.stream,
            rules: { ...frame.rules, ...rules } as unknown as StreamRules,
          },
        });
        const kinds = [KINDS[a] as (typeof KINDS)[string], KINDS[b] as (typeof KINDS)[string]] as const;
        counts.contracts++;
        for (const direction of ["forward", "backward"] as const) {
          const [before, after] = [withRules(pair.before), withRules(pair.after)];
          const judgement = await judgeQuestion({
            before,
            after,
            direction,
            kinds,
            seed: counts.answers + seed,
          });
          counts.answers++;
          const name = `${member} ${pair.change} (${a}, ${b}; ${JSON.stringify(frame)}; ${direction})`;
          if (judgement.kind === "right") counts[judgement.verdict]++;
          else counts[judgement.kind]++;
          if (judgement.kind === "undecided") print(`undecided: ${name}: ${judgement.reason}`);
          if (judgement.kind === "wrong")
            print(
              `WRONG: ${name}: ${judgement.verdict}, but ${judgement.why}: ${JSON.stringify(judgement.events)}`,
            );
        }
      }
  return counts;
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

function loadBase(folder: string, a: string, b: string, isNumbered: boolean): Promise<Protocol> {
  const key = path.join(folder, `${a}-${b}-${isNumbered}`);
  const load = async (): Promise<Protocol> => {
    const kinds = [KINDS[a], KINDS[b]] as const;
    if (kinds[0] === undefined || kinds[1] === undefined) throw new Error("The kind is missing.");
    writeContract(path.join(key, "trial", "v1"), kinds[0], kinds[1], isNumbered);
    const { protocols, findings } = await loadSchemas(key);
    const errors = findings.filter(({ severity }) => severity === "error");
    const [protocol] = protocols;
    if (protocol === undefined || errors.length > 0) throw new Error(JSON.stringify(errors));
    return protocol;
  };
  const base = bases.get(key) ?? load();
  bases.set(key, base);
  return base;
}
