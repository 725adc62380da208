/** Chooses the properties of a new protocol: from the options, from answers at a terminal, or by default. */

import path from "node:path";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { listKeys } from "../json.js";
import { didYouMean } from "../nearest.js";
import { formatLiteral } from "../text.js";
import { PLACEMENTS, RESERVED_FIELD_NAMES, type Scaffolding } from "./scaffold.js";

/** A question about one property of a new protocol. */
interface Question {
  readonly prompt: string;
  /** Returns the default for a project folder. */
  readonly chooseDefault: (folder: string) => string;
  /** Returns the reason why a value is refused; undefined if it is accepted. */
  readonly explainRefusal: (value: string) => string | undefined;
}

/** The question for each property of a new protocol. */
const QUESTIONS: { readonly [key in keyof Scaffolding]: Question } = {
  name: {
    prompt: "Name of the protocol",
    chooseDefault: deriveName,
    explainRefusal: (value) =>
      NAME.test(value)
        ? undefined
        : `${formatLiteral(value)} cannot name a protocol: a name has small letters, digits, - and _, and begins with a letter`,
  },
  placement: {
    prompt: `Where is an event's payload: ${Object.entries(PLACEMENTS)
      .map(([name, meaning]) => `${name} (${meaning})`)
      .join(", ")}`,
    chooseDefault: () => "nested",
    explainRefusal: (value) =>
      Object.hasOwn(PLACEMENTS, value)
        ? undefined
        : `${formatLiteral(value)} is not a placement${didYouMean(value, Object.keys(PLACEMENTS))} There are ${Object.keys(PLACEMENTS).join(", ")}`,
  },
  discriminator: {
    prompt: "Field that names the event type",
    chooseDefault: () => "type",
    explainRefusal: (value) => {
      if (!/^[@$_]?[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value))
        return `${formatLiteral(value)} cannot name a field`;
      return RESERVED_FIELD_NAMES.includes(value)
        ? `the example event already has a field ${formatLiteral(value)}; choose another name`
        : undefined;
    },
  },
};

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Returns the properties that the options give. Asks for the others at a terminal. */
export async function chooseScaffolding(
  options: { readonly [name: string]: unknown },
  folder: string,
  io: Io,
): Promise<Scaffolding> {
  const answer = (key: keyof Scaffolding): string | Promise<string> => {
    const question = QUESTIONS[key];
    const option = options[key];
    return option === undefined
      ? askQuestion(question, folder, io)
      : checkOption(question, key, String(option));
  };
  const name = await answer("name");
  const placement = await answer("placement");
  const chosen = listKeys(PLACEMENTS).find((each) => each === placement) ?? "nested";
  return { name, placement: chosen, discriminator: await answer("discriminator") };
}

function checkOption({ explainRefusal }: Question, key: string, value: string): string {
  const reason = explainRefusal(value);
  if (reason !== undefined) throw new UsageError(`--${key}: ${reason}.`);
  return value;
}

async function askQuestion(
  { prompt, chooseDefault, explainRefusal }: Question,
  folder: string,
  io: Io,
): Promise<string> {
  const defaultAnswer = chooseDefault(folder);
  if (!io.ask) return defaultAnswer;
  for (;;) {
    const answer = (await io.ask(`${prompt} [${defaultAnswer}]: `)).trim() || defaultAnswer;
    const reason = explainRefusal(answer);
    if (reason === undefined) return answer;
    io.stderr(`${reason}.\n`);
  }
}

/** Derives the name of a protocol from that of its folder; `events` if that is not possible. */
function deriveName(folder: string): string {
  const base = path
    .basename(path.resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "");
  return NAME.test(base) ? base : "events";
}
