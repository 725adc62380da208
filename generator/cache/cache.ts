/** Remembers results of earlier runs. */
import { type CacheSettings, type Entries, openEntries } from "./entries.js";
import { openPieces, type Pieces } from "./pieces.js";

/** Results of earlier runs: entries, and small texts that share an entry. */
export interface Cache extends Entries {
  readonly settings: CacheSettings;
  /** Passes on a sentence about a damaged entry. */
  note(sentence: string): void;
  /** Returns the small texts of this name: the same for each call. */
  openPieces(name: string): Pieces;
  /** Writes the texts that were used since the last call, and forgets all others. */
  savePieces(): void;
}

/** Opens a cache. Calls `note` with a sentence about each damaged entry. */
export function openCache(settings: CacheSettings, note: (sentence: string) => void): Cache {
  const entries = openEntries(settings, note);
  const opened = new Map<string, Pieces>();
  return {
    ...entries,
    settings,
    note,
    openPieces: (name) => {
      const pieces = opened.get(name) ?? openPieces(name, entries);
      opened.set(name, pieces);
      return pieces;
    },
    savePieces: () => {
      for (const pieces of opened.values()) pieces.save();
    },
  };
}
