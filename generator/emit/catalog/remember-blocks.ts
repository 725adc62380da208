import type { Cache } from "../../cache/cache.js";
import type { Pieces } from "../../cache/pieces.js";
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
  const pieces = openCatalogPieces(protocol, cache);
  const createEventKey = createEventKeys(protocol, "catalog");
  return (format) => (event, sections) => {
    const key = createEventKey(event);
    const text = pieces.find(key);
    const known: RememberedBlocks | undefined = text === undefined ? undefined : JSON.parse(text);
    if (known?.slugs.every(([id, slug]) => (sections.slugs.get(id) ?? null) === slug)) return known.blocks;
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

/** Returns whether the blocks of most event types are in the cache: those of the first one, or of the last one. */
export function isCatalogRemembered(protocol: Protocol, cache: Cache | undefined): boolean {
  if (cache === undefined) return false;
  const createEventKey = createEventKeys(protocol, "catalog");
  const pieces = openCatalogPieces(protocol, cache);
  return [protocol.events.at(0), protocol.events.at(-1)].some(
    (event) => event !== undefined && pieces.find(createEventKey(event)) !== undefined,
  );
}

function openCatalogPieces({ id }: Protocol, cache: Cache): Pieces {
  return cache.openPieces(`catalog-${id.replaceAll("/", "-")}`);
}
