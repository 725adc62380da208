/** Measures how much descriptions say the same, from 0 to 1. */
import { isObject, type Json } from "../../json.js";
import { type Definitions, findTarget } from "../../schema/reference.js";
import { listOwnWords, splitWords } from "./likeness.js";

/** The likeness of descriptions that are nearly equal, and the least one of descriptions of one thing. */
export const SAME_TEXT = 0.8;
export const UNLIKE_TEXT = 0.25;

/** Shorter descriptions say too little to be compared. */
const MIN_WORDS = 4;
/** Words that nearly every description has. */
const COMMON_WORDS = new Set(
  "a an and are as at be by can for from has if in is it its may must of on or that the this to was were which will with".split(
    " ",
  ),
);

/** Returns the description of a schema, or of the definition that it refers to; "" if there is none. */
export function readDescription(schema: Json | undefined, definitions: Definitions): string {
  if (!isObject(schema)) return "";
  if (typeof schema.description === "string") return schema.description;
  const target = findTarget(schema, definitions)?.schema;
  return isObject(target) && typeof target.description === "string" ? target.description : "";
}

/**
 * Returns the likeness of two descriptions: the share of common words, of the whole texts or of their first sentences.
 * Undefined if one of them has too few significant words.
 */
export function scoreTextLikeness(a: string, b: string, minWords = MIN_WORDS): number | undefined {
  const whole = scoreWords(listSignificantWords(a), listSignificantWords(b), minWords);
  const [old, now] = [a, b].map((text) => listSignificantWords(getFirstSentence(text)));
  const first = old && now && scoreWords(old, now, minWords);
  return first === undefined ? whole : Math.max(first, whole ?? 0);
}

function scoreWords(
  old: ReadonlySet<string>,
  now: ReadonlySet<string>,
  minWords: number,
): number | undefined {
  if (Math.min(old.size, now.size) < minWords) return undefined;
  const common = [...old].filter((word) => now.has(word)).length;
  return (2 * common) / (old.size + now.size);
}

function getFirstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/su.exec(text)?.[0] ?? text;
}

/** Returns the share of the words of a name that occur in a text. */
export function scoreMention(name: string, text: string): number {
  const words = splitWords(name).map(removePlural);
  const mentioned = new Set(splitWords(text).map(removePlural));
  return words.length === 0 ? 0 : words.filter((word) => mentioned.has(word)).length / words.length;
}

function removePlural(word: string): string {
  return word.replace(/s$/, "");
}

/** A name and its description. */
export type NameAndText = readonly [name: string, text: string];

/** Returns whether each description has a word that only its own name has, if there is one, and none that only the other name has. */
export function tellsApart([oldName, oldText]: NameAndText, [newName, newText]: NameAndText): boolean {
  const [gone, fresh] = listOwnWords(oldName, newName).map((words) => words.join(" "));
  if (!gone && !fresh) return false;
  const isOwn = (words = "", text = "", other = ""): boolean =>
    words === "" || (scoreMention(words, text) > 0 && scoreMention(words, other) === 0);
  return isOwn(gone, oldText, newText) && isOwn(fresh, newText, oldText);
}

/** Returns whether a text has the name of a field: in quotes or, if the name has several words, anywhere. */
export function refersTo(text: string, name: string): boolean {
  if (!text.includes(name)) return false;
  const plain = escapeName(name);
  const pattern =
    splitWords(name).length > 1
      ? `(?<![\\p{L}\\p{N}_.-])${plain}(?![.-]?[\\p{L}\\p{N}_])`
      : `${QUOTE}${plain}${QUOTE}`;
  return new RegExp(pattern, "u").test(text);
}

/** Returns whether one description has all own words of the other name, as "output (completion) tokens" of `completion_tokens`. */
export function mentionsWords([oldName, oldText]: NameAndText, [newName, newText]: NameAndText): boolean {
  const [gone, fresh] = listOwnWords(oldName, newName).map((words) => words.join(" "));
  return scoreMention(gone ?? "", newText) === 1 || scoreMention(fresh ?? "", oldText) === 1;
}

const QUOTE = "[`'\"]";

function escapeName(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

const NEW_NAMES =
  "renamed to|replaced by|replaced with|superseded by|use|prefer|in favou?r of|now(?: called| named)?";
const OLD_NAMES =
  "renamed from|formerly(?: called| named| known as)?|previously(?: called| named| known as)?|replaces|replacement for|supersedes|was called|used to be(?: called)?";

/** Returns whether a description says that the field was renamed: "Deprecated: use `input` instead", "formerly `input`". */
export function statesRename([oldName, oldText]: NameAndText, [newName, newText]: NameAndText): boolean {
  return states(NEW_NAMES, newName, oldText) || states(OLD_NAMES, oldName, newText);
}

/** Returns whether a text has one of several phrases, and then a name. */
function states(phrases: string, name: string, text: string): boolean {
  if (!text.includes(name)) return false;
  const plain = escapeName(name);
  const path = "[\\p{L}\\p{N}_.#/]*[.#/]";
  const pattern = `\\b(?:${phrases}):?\\s+(?:the\\s+|field\\s+)*${QUOTE}(?:${path})?${plain}${QUOTE}`;
  return new RegExp(pattern, "iu").test(text);
}

function listSignificantWords(text: string): Set<string> {
  return new Set(splitWords(text).filter((word) => !COMMON_WORDS.has(word)));
}
