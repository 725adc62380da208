/** Patterns by the growth of the work of a backtracking matcher, and random ones. */
import type { Random } from "../../generator/random.js";

export const EXPONENTIAL = [
  String.raw`^(\w+\s?)+$`,
  "(a+)+$",
  "^(a|a)*$",
  "^(a|aa)+$",
  String.raw`^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$`,
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "^(.*a){12}$",
  "(x+x+)+y",
  String.raw`^(\d+\.?)*$`,
  "^((ab)*)*$",
  "^(a?){30}a{30}$",
  "(ab|ab)".repeat(30),
  `^${"a?".repeat(30)}${"a".repeat(30)}$`,
  "^(?=((ab)+)+$).",
  "(?<=^((ab)*)*!)c",
  String.raw`^(\p{L}|\p{Lu})+$`,
  String.raw`^\s*(\S+\s*)*:$`,
  String.raw`^(https?:\/\/)?([\da-z\.-]+)\.([a-z\.]{2,6})([\/\w \.-]*)*\/?$`,
  "^(a*)*b",
  "^(?:a|b|ab)*c$",
  String.raw`^([\w-]+\.?)+@`,
  "(?:(?:b|b)a?)*$",
  String.raw`^(?:(?:\w|-)+ ?)+$`,
];

/** Exponential patterns that need too many states for tables, or have a backreference. */
export const WITHOUT_TABLES = [
  "^(a{1,1000}){1,1000}$",
  "^(?:[ab]|[bc]){1,3000}$",
  "^(.{0,200},){50}$",
  String.raw`^(a+)+\1$`,
  String.raw`(a*)*\1b`,
  String.raw`^(?<word>\w+\s?)+-\k<word>$`,
];

export const CUBIC = ["a.*b.*c", "^.*.*.*x$", "(.*)(.*)(.*)!", String.raw`^\s*\w*\s*\w*\w*!$`];

export const QUADRATIC = [
  String.raw`\d+$`,
  String.raw`^\s+|\s+$`,
  "^a*a*$",
  "(.*),(.*)",
  "(?:b)*$",
  "(?<=a+)b",
];

export const FAST = [
  "^[a-z]+$",
  "^[a-z]+(-[a-z]+)*$",
  String.raw`^\d{4}-\d{2}-\d{2}$`,
  "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  String.raw`^(?:[a-z0-9]+\.)+[a-z]{2,}$`,
  String.raw`^\s*\S`,
  "^(a|b)*c$",
  String.raw`^"(?:[^"\\]|\\.)*"$`,
  String.raw`^"(\\"|[^"])*"$`,
  String.raw`^[^@\s]+@[^@\s]+$`,
  String.raw`^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$`,
  String.raw`^v\d+(\.\d+){0,2}$`,
  "^#[0-9a-f]{6}$",
  "^(/[^/]+)+$",
  "abc",
  "^.{1,64}$",
  "^(?!-)[a-z-]{1,63}$",
  "^[A-Z][a-z]*(?: [A-Z][a-z]*)*$",
  String.raw`^(\w+\s)+$`,
  String.raw`^(?:\+|-)?\d+(?:\.\d+)?$`,
  "^(true|false)$",
  "^a.*z$",
  "(a+)+",
  "^(([^,]*),)*$",
  "^[0-9a-fA-F:.]{2,45}$",
  String.raw`^\p{L}[\p{L}\p{N}_]*$`,
  String.raw`^urn:[a-z0-9][a-z0-9-]{1,31}:[^\s]+$`,
  String.raw`^\$(?:\.[a-z]+|\[\d+\])*$`,
  "^[a-z]{2}(?:-[A-Z]{2})?$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  String.raw`^\d+(?:,\d+)*$`,
  "^(?:a|b|c)+d$",
  "^[^,]*,[^,]*,[^,]*$",
  "^<[^<>]*>$",
  "^(?:ab)+(?:cd)+$",
  String.raw`^\((?:[^()\\]|\\.)*\)$`,
  "^x*y*z*$",
  "^(?:GET|POST) /[a-z/]*$",
  String.raw`^[\w.-]+$`,
  "^a{3,}b{3,}$",
  "^.{1,10000}$",
  "^(a{1,100}b{1,100}){1,100}$",
  "^(?:[0-9a-f]{2}){1,4096}$",
  "^x(?:,x){0,2000}$",
  String.raw`^(["']).*\1$`,
  String.raw`^<([a-z]+)>[^<]*</\1>$`,
  String.raw`(?<!\d)\d{4}`,
  "^[a-z]+(?<!-)$",
  "^((?!foo).)*$",
  "(?:a|b)".repeat(30),
];

const ATOMS = ["a", "b", "c", "[ab]", "[^a]", ".", String.raw`\w`, String.raw`\d`, "-"];

/** Returns a text of the characters of `createPattern`. */
export function createText(random: Random, length: number): string {
  return Array.from({ length }, () => random.pick(["a", "b", "c", "0", "-"])).join("");
}

export function createPattern(random: Random): string {
  const pattern = createPart(random, 3);
  return (random.chance(0.6) ? "^" : "") + pattern + (random.chance(0.6) ? "$" : "");
}

function createPart(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.3)) return random.pick(ATOMS);
  const part = (): string => createPart(random, depth - 1);
  return random.pick([
    () => `(?:${part()}|${part()})`,
    () => `(?:${part()})${random.pick(["*", "+", "?", "{2,}", "{1,3}"])}`,
    () => part() + part(),
    () => `${part()}(?:${part()})${random.pick(["*", "+"])}`,
  ])();
}
