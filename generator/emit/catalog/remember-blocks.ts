import type { Cache } from "../../cache/cache.js";
import type { EventType, Protocol } from "../../protocol/protocol.js";
import { createEventKeys } from "../event-keys.js";
import type { Sections } from "./renderer.js";

/** Formats blocks of the section of an event type. */
export type FormatBlocks = (event: EventType, sections: Sections) => readonly string[];

/** Blocks, and the slugs that their links depend on, each after the id of its section. */
interface RememberedBlocks {
  readonly slugs: readonly (readonly [id: string, slug: string | null])[];
  readonly blocks: readonly string[];
}

/**
 * Returns a function that returns the blocks of an event type from the cache. It calls `format` if they are not there, or if
 * a section that they link to has another slug now.
 */
export function rememberBlocks(protocol: Protocol, cache: Cache): (format: FormatBlocks) => FormatBlocks {
  const pieces = cache.openPieces(`catalog-${protocol.id.replaceAll("/", "-")}`);
  const createEventKey = createEventKeys(protocol, "catalog");
  return (format) => (event, sections) => {
    const key = createEventKey(event);
    const known: RememberedBlocks = JSON.parse(pieces.find(key) ?? '{"slugs":[["",""]],"blocks":[]}');
    if (known.slugs.every(([id, slug]) => (sections.slugs.get(id) ?? null) === slug)) return known.blocks;
    const slugs = new Map<string, string | null>();
    const get = (id: string): string | undefined => {
      const slug = sections.slugs.get(id);
      slugs.set(id, slug ?? null);
      return slug;
    };
    const blocks = format(event, { ...sections, slugs: { get } });
    pieces.add(key, JSON.stringify({ slugs: [...slugs], blocks } satisfies RememberedBlocks));
    return blocks;
  };
}
