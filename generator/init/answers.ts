/** What a new protocol is to be like: from the command line, else asked for at a terminal, else the default. */
import path from "node:path";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { didYouMean } from "../nearest.js";
import { literal } from "../text.js";
import { FIELDS, PLACEMENTS, type Scaffolding } from "./scaffold.js";

interface Question {
  readonly key: keyof Scaffolding;
  readonly ask: string;
  /** The answer if nothing is said, made from the folder that the protocol is for. */
  readonly otherwise: (folder: string) => string;
  /** Why a value cannot be taken, or undefined. */
  readonly refuse: (value: string) => string | undefined;
}

const QUESTIONS: readonly Question[] = [
  {
    key: "name",
    ask: "Name of the protocol",
    otherwise: nameFrom,
    refuse: (value) =>
      NAME.test(value)
        ? undefined
        : `${literal(value)} cannot name a protocol: a name has small letters, digits, - and _, and begins with a letter`,
  },
  {
    key: "placement",
    ask: `Where is an event's payload: ${Object.entries(PLACEMENTS)
      .map(([name, meaning]) => `${name} (${meaning})`)
      .join(", ")}`,
    otherwise: () => "nested",
    refuse: (value) =>
      Object.hasOwn(PLACEMENTS, value)
        ? undefined
        : `${literal(value)} is not a placement${didYouMean(value, Object.keys(PLACEMENTS))} There are ${Object.keys(PLACEMENTS).join(", ")}`,
  },
  {
    key: "discriminator",
    ask: "Field that names the event type",
    otherwise: () => "type",
    refuse: (value) => {
      if (!/^[@$_]?[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value)) return `${literal(value)} cannot name a field`;
      return FIELDS.includes(value)
        ? `${literal(value)} is the name of another field of the event that is made; take another`
        : undefined;
    },
  },
];

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** The options that answer the questions. Those that are absent are asked for where somebody can answer. */
export async function answers(
  options: { readonly [name: string]: unknown },
  folder: string,
  io: Io,
): Promise<Scaffolding> {
  const got: { [key: string]: string } = {};
  for (const question of QUESTIONS) {
    const said = options[question.key];
    if (said === undefined) got[question.key] = await askFor(question, folder, io);
    else got[question.key] = accepted(question, String(said));
  }
  return got as unknown as Scaffolding;
}

function accepted({ key, refuse }: Question, value: string): string {
  const reason = refuse(value);
  if (reason !== undefined) throw new UsageError(`--${key}: ${reason}.`);
  return value;
}

async function askFor({ ask, otherwise, refuse }: Question, folder: string, io: Io): Promise<string> {
  const preset = otherwise(folder);
  if (!io.ask) return preset;
  for (;;) {
    const answer = (await io.ask(`${ask} [${preset}]: `)).trim() || preset;
    const reason = refuse(answer);
    if (reason === undefined) return answer;
    io.stderr(`${reason}.\n`);
  }
}

/** The folder's name as far as it can be one of a protocol. */
function nameFrom(folder: string): string {
  const base = path
    .basename(path.resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "");
  return NAME.test(base) ? base : "events";
}
