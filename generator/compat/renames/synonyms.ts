/** Knows words of protocols that mean the same, so that one may replace the other in a new name, and words that never do. */

/**
 * Each line has words that name the same thing in names of fields and event types. Words with different meanings in one
 * protocol, such as `name` and `title` or `input` and `prompt`, are not listed: their renames need other evidence.
 */
const SYNONYMS = `
  count number num total quantity qty
  time timestamp ts at date datetime
  url uri href link
  id identifier uid guid uuid
  type kind category
  status state
  media mime
  args arguments params parameters
  source src origin
  destination dest dst target
  begin start
  end finish stop
  next following
  previous prev preceding
  min minimum least
  max maximum most
  avg average mean
  lat latitude
  lng lon long longitude
  phone telephone tel
  zip postal postcode
  lang language locale
  org organization organisation
  image img picture photo
  config configuration settings options
  conversation thread chat
  duration elapsed
  dir directory folder
  created create creation added add addition inserted
  updated update changed change modified edited
  deleted delete deletion removed remove removal destroyed
  started begun began
  ended finished completed complete done
  failed failure errored
  cancelled canceled aborted
  approved accepted granted
  rejected denied declined refused
  resumed continued
`;

/**
 * Each line has words that tell things of one kind apart. Bars separate words that mean the same from the others. A name with
 * one of them is never renamed to one with a word behind another bar.
 */
const CONTRASTS = `
  previous prev | next | current
  first | last
  old | new
  original initial | final
  before | after
  min minimum | max maximum
  start begin | end finish stop
  source src origin | destination dest target
  from | to
  get | set
  read | write
  in | out
  input | output
  request | response
  sender sent | receiver received recipient
  parent | child
  left | right | top | bottom
  width | height | depth
  row line | column
  latitude lat | longitude lng lon
  day | week | month | year
  allow allowed | deny denied | confirm | cancel
  enabled | disabled
  open opened | close closed
  created | updated edited | deleted
  added | modified | removed
`;
/** A name that gained or lost one of these words is the name of another thing: `message` and `previous_message`. */
const ORDER_WORDS = new Set("previous prev next first last old new original initial parent".split(" "));

const SYNONYM_LINES = readLines(SYNONYMS);
const CONTRAST_LINES = readLines(CONTRASTS.replaceAll(" |", ""));
const CONTRAST_GROUPS = readLines(CONTRASTS.replaceAll(" | ", "\n"));

/** Returns the lines of each word. */
function readLines(table: string): Map<string, Set<number>> {
  const lines = new Map<string, Set<number>>();
  for (const [line, words] of table.trim().split("\n").entries())
    for (const word of words.trim().split(" ")) lines.set(word, (lines.get(word) ?? new Set()).add(line));
  return lines;
}

function isOnOneLine(a: string, b: string, lines: ReadonlyMap<string, ReadonlySet<number>>): boolean {
  const others = lines.get(b);
  return [...(lines.get(a) ?? [])].some((line) => others?.has(line));
}

/** Returns whether two words mean the same in names. */
export function areSynonyms(a: string, b: string): boolean {
  return isOnOneLine(a, b, SYNONYM_LINES);
}

/** Returns whether a word is another one with a lower number: `beta1` and `beta2`. Nothing gets the name of an older version. */
function isOlderVersion(word: string, other: string): boolean {
  const [number, otherNumber] = [word, other].map((each) => Number(/\d+$/.exec(each)?.[0]));
  const isSameStem = word.replace(/\d+$/, "") === other.replace(/\d+$/, "");
  return isSameStem && (number ?? 0) < (otherNumber ?? 0);
}

/** Returns whether the words that only one of two names has say that the names are those of different things. */
export function areContrasts(gone: readonly string[], fresh: readonly string[]): boolean {
  const [only] = gone.length + fresh.length === 1 ? [...gone, ...fresh] : [];
  if (only !== undefined) return ORDER_WORDS.has(only);
  const areApart = (word: string, other: string): boolean =>
    (isOnOneLine(word, other, CONTRAST_LINES) && !isOnOneLine(word, other, CONTRAST_GROUPS)) ||
    isOlderVersion(other, word);
  return gone.some((word) => fresh.some((other) => areApart(word, other)));
}
