/** Letters that identifiers such as ULIDs allow, and digits that every position of one allows. */
const ALPHABETS: readonly (readonly [form: RegExp, letters: string])[] = [
  [/[0-9]/, "01234567"],
  [/[A-Z]/, "ABCDEFGH"],
  [/[a-z]/, "abcdef"],
];

/** Replacements of values. Equal values get the same replacement. */
export interface Pseudonyms {
  /** Returns the replacement of a value, and remembers it. */
  replace(value: string): string;
  /** Returns the replacement of a value that was replaced before. */
  find(value: string): string | undefined;
}

/**
 * Creates replacements of the same length and form: digits for digits, letters for letters, all else as it is. They
 * count the values in the order of their first occurrence, so nothing of a value can be read from its replacement. A
 * prefix up to the first `_` is kept, because it names the kind of an id.
 */
export function createPseudonyms(): Pseudonyms {
  const replacements = new Map<string, string>();
  const used = new Set<string>();
  return {
    replace(value) {
      const known = replacements.get(value);
      if (known !== undefined) return known;
      let number = replacements.size;
      let made = writeNumber(value, number);
      // Values of different forms may get the same replacement, and short ones have few.
      for (let tries = 0; used.has(made) && tries < 1_000; tries++) made = writeNumber(value, ++number);
      replacements.set(value, made);
      used.add(made);
      return made;
    },
    find: (value) => replacements.get(value),
  };
}

/** Writes a number into the last letters and digits of a text; the others become the first of their alphabet. */
function writeNumber(form: string, number: number): string {
  const prefix = /^[a-z]{1,16}_/.exec(form)?.[0] ?? "";
  let left = number;
  const letters = [...form.slice(prefix.length)].reverse().map((letter) => {
    const alphabet = ALPHABETS.find(([kind]) => kind.test(letter))?.[1];
    if (alphabet === undefined) return /\p{L}|\p{N}/u.test(letter) ? "x" : letter;
    const digit = left % alphabet.length;
    left = Math.floor(left / alphabet.length);
    return alphabet[digit] as string;
  });
  return prefix + letters.reverse().join("");
}
