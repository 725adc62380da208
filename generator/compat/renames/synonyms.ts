/** Knows words of protocols that mean the same, so that one may replace the other in a new name. */

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

/** The lines of each word. */
const LINES = new Map<string, Set<number>>();
for (const [line, words] of SYNONYMS.trim().split("\n").entries())
  for (const word of words.trim().split(" ")) LINES.set(word, (LINES.get(word) ?? new Set()).add(line));

/** Returns whether two words mean the same in names. */
export function areSynonyms(a: string, b: string): boolean {
  const lines = LINES.get(b);
  return [...(LINES.get(a) ?? [])].some((line) => lines?.has(line));
}
