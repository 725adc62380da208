/**
 * Finds words that a protocol replaced by others in several of its names: `artifact` for `file` in `artifactIndex`,
 * `artifactChanges` and `defaultArtifactEncoding`. Names with such a word are compared under their new words.
 */
import { isObject, type Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { walk } from "../../schema/walk.js";
import { removePlural, splitWords } from "./likeness.js";

/** Reads names and descriptions of the baseline with the words of the current version. */
export interface Translation {
  /** Returns the name with its new words; the name itself if none of its words was replaced. */
  readonly translateName: (name: string) => string;
  readonly translateText: (text: string) => string;
}

/** A replacement of words in several names. */
interface Replacement {
  readonly gone: string;
  readonly fresh: string;
  /** The number of names that replaced the words. */
  readonly support: number;
}

/** The least number of names in which one replacement of words is not a coincidence. */
const MIN_NAMES = 3;
/** The greatest number of words that one replacement takes out or puts in. */
const MAX_WORDS = 2;
/** The greatest number of pairs of old and new names with the same rest. */
const MAX_PAIRS = 6;

/** Returns the translation from the words of one version to those of another. */
export function createTranslation(before: Protocol, after: Protocol): Translation {
  const old = collectNames(before);
  const now = collectNames(after);
  const replacements = findReplacements(old, now);
  return {
    translateName: (name) => {
      const words = toWords(name);
      if (replacements.length === 0 || now.has(words)) return name;
      const options = replacements.flatMap(({ gone, fresh }) => replaceWords(words, gone, fresh) ?? []);
      return (options.find((option) => now.has(option)) ?? options[0])?.replaceAll(" ", "_") ?? name;
    },
    translateText: (text) =>
      replacements.reduce((read, { gone, fresh }) => {
        const pattern = new RegExp(`(?<!\\p{L})${gone.replaceAll(" ", "[\\s_-]*")}(s?)(?!\\p{L})`, "giu");
        return read.replace(pattern, `${fresh}$1`);
      }, text),
  };
}

/** Returns the names of event types, definitions and fields of a protocol, each as its words. */
function collectNames({ events, definitions }: Protocol): Set<string> {
  const names = new Set<string>();
  const addFields = (schema: Json): void =>
    walk(schema, ({ properties }) => {
      for (const name of isObject(properties) ? Object.keys(properties) : []) names.add(toWords(name));
    });
  for (const { type, payload } of events) {
    names.add(toWords(type));
    addFields(payload);
  }
  for (const [name, { schema }] of Object.entries(definitions)) {
    names.add(toWords(name));
    addFields(schema);
  }
  return names;
}

/** Returns the words of a name, without plurals, as a text. */
function toWords(name: string): string {
  return splitWords(name).map(removePlural).join(" ");
}

/** Returns the replacements of words in names that only one side has, the most common first. */
function findReplacements(old: ReadonlySet<string>, now: ReadonlySet<string>): Replacement[] {
  const freshParts = groupByRest([...now].filter((name) => !old.has(name)));
  const places = new Map<string, Set<string>>();
  for (const [rest, goneParts] of groupByRest([...old].filter((name) => !now.has(name)))) {
    const others = freshParts.get(rest) ?? [];
    // Many names have a rest such as `* request`, so that it says nothing about a pair of them.
    if (goneParts.length * others.length > MAX_PAIRS) continue;
    for (const fresh of others)
      for (const gone of goneParts) {
        const key = JSON.stringify([gone, fresh]);
        places.set(key, (places.get(key) ?? new Set()).add(rest));
      }
  }
  const count = (names: ReadonlySet<string>, words: string): number =>
    [...names].filter((name) => ` ${name} `.includes(` ${words} `)).length;
  return [...places]
    .flatMap(([key, rests]): Replacement[] => {
      if (rests.size < MIN_NAMES) return [];
      const [gone, fresh] = JSON.parse(key);
      // The old words are in few names now, and the new words were in few names before.
      const isReplaced =
        count(now, gone) * 2 <= count(old, gone) && count(old, fresh) * 2 <= count(now, fresh);
      return isReplaced && rests.size * 3 >= count(old, gone) ? [{ gone, fresh, support: rests.size }] : [];
    })
    .sort((a, b) => b.support - a.support || (a.gone + a.fresh < b.gone + b.fresh ? -1 : 1));
}

/** Groups the parts of names by the rest of the name, with a star for the part. */
function groupByRest(names: readonly string[]): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const name of names) {
    const words = name.split(" ");
    for (let length = 1; length <= Math.min(MAX_WORDS, words.length - 1); length++)
      for (let start = 0; start + length <= words.length; start++) {
        const rest = [...words.slice(0, start), "*", ...words.slice(start + length)].join(" ");
        parts.set(rest, [...(parts.get(rest) ?? []), words.slice(start, start + length).join(" ")]);
      }
  }
  return parts;
}

function replaceWords(words: string, gone: string, fresh: string): string | undefined {
  const padded = ` ${words} `;
  return padded.includes(` ${gone} `) ? padded.replaceAll(` ${gone} `, ` ${fresh} `).trim() : undefined;
}
