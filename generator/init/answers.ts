/** Chooses the properties of a new protocol: from options, else by asking at a terminal, else by default. */
import path from "node:path";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { didYouMean } from "../nearest.js";
import { literal } from "../text.js";
import { FIELDS, PLACEMENTS, type Scaffolding } from "./scaffold.js";

interface Question {
  readonly key: keyof Scaffolding;
  readonly ask: string;
  /** Returns the default for a project folder. */
  readonly preset: (folder: string) => string;
  /** Returns why a value is not possible; undefined if it is. */
  readonly findProblem: (value: string) => string | undefined;
}

const QUESTIONS: readonly Question[] = [
  {
    key: "name",
    ask: "Name of the protocol",
    preset: nameFrom,
    findProblem: (value) =>
      NAME.test(value)
        ? undefined
        : `${literal(value)} cannot name a protocol: a name has small letters, digits, - and _, and begins with a letter`,
  },
  {
    key: "placement",
    ask: `Where is an event's payload: ${Object.entries(PLACEMENTS)
      .map(([name, meaning]) => `${name} (${meaning})`)
      .join(", ")}`,
    preset: () => "nested",
    findProblem: (value) =>
      Object.hasOwn(PLACEMENTS, value)
        ? undefined
        : `${literal(value)} is not a placement${didYouMean(value, Object.keys(PLACEMENTS))} There are ${Object.keys(PLACEMENTS).join(", ")}`,
  },
  {
    key: "discriminator",
    ask: "Field that names the event type",
    preset: () => "type",
    findProblem: (value) => {
      if (!/^[@$_]?[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value)) return `${literal(value)} cannot name a field`;
      return FIELDS.includes(value)
        ? `${literal(value)} is the name of another field of the event that is made; take another`
        : undefined;
    },
  },
];

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Returns the answers that options give. Absent ones are asked for at a terminal. */
export async function chooseScaffolding(
  options: { readonly [name: string]: unknown },
  folder: string,
  io: Io,
): Promise<Scaffolding> {
  const answers: { [key: string]: string } = {};
  for (const question of QUESTIONS) {
    const option = options[question.key];
    if (option === undefined) answers[question.key] = await askFor(question, folder, io);
    else answers[question.key] = checkOption(question, String(option));
  }
  return answers as unknown as Scaffolding;
}

function checkOption({ key, findProblem }: Question, value: string): string {
  const reason = findProblem(value);
  if (reason !== undefined) throw new UsageError(`--${key}: ${reason}.`);
  return value;
}

async function askFor({ ask, preset, findProblem }: Question, folder: string, io: Io): Promise<string> {
  const fallback = preset(folder);
  if (!io.ask) return fallback;
  for (;;) {
    const answer = (await io.ask(`${ask} [${fallback}]: `)).trim() || fallback;
    const reason = findProblem(answer);
    if (reason === undefined) return answer;
    io.stderr(`${reason}.\n`);
  }
}

/** Returns the folder's name if it can name a protocol. */
function nameFrom(folder: string): string {
  const base = path
    .basename(path.resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "");
  return NAME.test(base) ? base : "events";
}
