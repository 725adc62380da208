import type { Entries, Stored } from "./entries.js";

/** Small texts by key, such as the code for each event type. All texts of one run are one entry of the entries. */
export interface Pieces {
  /** Returns the text with this key; undefined if there is none. */
  find(key: string): string | undefined;
  add(key: string, text: string): void;
  /** Writes the texts that were found or added since the last call, unless these are the written ones. Forgets all others. */
  save(): void;
}

/** A key, and the length of its text in UTF-16 units. The texts follow each other. */
type Length = readonly [key: string, length: number];

function splitTexts(stored: Stored<readonly Length[]> | undefined): Map<string, string> {
  const texts = new Map<string, string>();
  let start = 0;
  for (const [key, length] of stored?.value ?? []) {
    texts.set(key, stored?.text.slice(start, start + length) ?? "");
    start += length;
  }
  return texts;
}

/** The share of the texts of an entry that may be missing or outdated before the entry is written again. */
const MAX_CHANGED_SHARE = 0.1;

/**
 * Opens the texts of this name. They are read with the first call of `find`. Texts that few changes added are written to an
 * entry of their own, because the entry of all texts is large.
 */
export function openPieces(name: string, entries: Entries): Pieces {
  const entryKey = entries.createKey(["pieces"]);
  const read = (entry: string): Map<string, string> => splitTexts(entries.read(entry, entryKey));
  const write = (entry: string, texts: ReadonlyMap<string, string>): void => {
    const lengths = [...texts].map(([key, text]): Length => [key, text.length]);
    entries.write(entry, entryKey, lengths, [...texts.values()].join(""));
  };
  /** The texts of the large entry. */
  let written: ReadonlyMap<string, string> | undefined;
  let known: ReadonlyMap<string, string> = new Map();
  let used = new Map<string, string>();
  let hasNew = false;
  return {
    find: (key) => {
      if (written === undefined) {
        written = read(name);
        known = new Map([...written, ...read(`${name}-new`)]);
      }
      const text = used.get(key) ?? known.get(key);
      if (text !== undefined) used.set(key, text);
      return text;
    },
    add: (key, text) => {
      used.set(key, text);
      hasNew = true;
    },
    save: () => {
      // A run that used none was about something else.
      if (used.size === 0) return;
      const all = written ?? new Map<string, string>();
      const added = new Map([...used].filter(([key]) => !all.has(key)));
      const unusedCount = all.size - (used.size - added.size);
      if (added.size + unusedCount > MAX_CHANGED_SHARE * used.size) {
        written = used;
        write(name, used);
        write(`${name}-new`, new Map());
      } else if (hasNew) write(`${name}-new`, added);
      known = used;
      used = new Map();
      hasNew = false;
    },
  };
}
