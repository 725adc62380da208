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

/** Opens the texts of this name. They are read with the first call of `find`. */
export function openPieces(name: string, entries: Entries): Pieces {
  const entryKey = entries.createKey(["pieces"]);
  let known: ReadonlyMap<string, string> | undefined;
  let used = new Map<string, string>();
  let hasNew = false;
  return {
    find: (key) => {
      known ??= splitTexts(entries.read<readonly Length[]>(name, entryKey));
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
      if (hasNew || used.size !== known?.size) {
        const lengths = [...used].map(([key, text]): Length => [key, text.length]);
        entries.write(name, entryKey, lengths, [...used.values()].join(""));
      }
      known = used;
      used = new Map();
      hasNew = false;
    },
  };
}
