/** What the partial consumers of test/kit/designs share. */

/** A JSON value of which a consumer reads what it needs. */
// biome-ignore lint/suspicious/noExplicitAny: consumers in applications read events like this
export type Loose = any;

/** A consumer before it is an adapter of the kit: it takes each event once. */
export interface Design {
  take(event: Loose): void;
  show(): unknown;
}

/** Creates a design without any events. */
export type CreateDesign = () => Design;

/** The designs for the events of one protocol, and how its events are told apart. */
export interface DesignSet {
  readonly designs: { readonly [name: string]: CreateDesign };
  /** Returns a text that each event has alone; undefined if the protocol cannot tell a redelivery. */
  identify(event: Loose): string | undefined;
  typeOf(event: Loose): string;
}

/** Returns the value of a key; creates it if the map has none. */
export function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

/** Returns an adapter of the kit for a design; with `knownTypes`, it also lists the events of all other types. */
export function adaptDesign(
  { identify, typeOf }: DesignSet,
  create: CreateDesign,
  knownTypes?: ReadonlySet<string>,
) {
  return {
    create() {
      const design = create();
      const seen = new Set<string>();
      const others: string[] = [];
      return {
        push(event: Loose) {
          const id = identify(event);
          if (id !== undefined && seen.has(id)) return;
          if (id !== undefined) seen.add(id);
          if (knownTypes === undefined || knownTypes.has(typeOf(event))) design.take(event);
          else others.push(`${typeOf(event)}: ${JSON.stringify(event)}`);
        },
        snapshot: () => (knownTypes === undefined ? design.show() : [design.show(), others]),
      };
    },
  };
}
