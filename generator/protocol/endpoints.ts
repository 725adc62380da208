/** The paths of a protocol's streams below `/<name>/v<major>`: the member `endpoints` of protocol.json. */
/** The paths of one protocol's streams. */
export interface Endpoints {
  /** Path of one stream below the protocol's; `{field}` stands for an envelope field. */
  readonly stream: string;
  /** Envelope fields by which the feed across streams can be filtered. */
  readonly filters: readonly string[];
}

/** The parameters of every list of events; no filter can have such a name. */
const PARAMETERS: readonly string[] = ["after_sequence", "event_type", "limit"];

/** What the paths of a protocol follow from. */
interface Addressed {
  readonly stream?: { readonly key: readonly string[] };
  readonly endpoints?: Partial<Endpoints>;
}

/** Returns the declared paths of a protocol; for what it does not declare, paths and filters made of the stream's key. */
export function resolveEndpoints({ stream, endpoints }: Addressed): Endpoints {
  const key = stream?.key ?? [];
  const parts = key.length === 0 ? ["all"] : key.map((field) => `{${field}}`);
  return {
    stream: endpoints?.stream ?? ["streams", ...parts].join("/"),
    filters: endpoints?.filters ?? key.filter((name) => !PARAMETERS.includes(name)),
  };
}

/** Returns the names of the envelope fields in the path of one stream. */
export function listPathFields({ stream }: Pick<Endpoints, "stream">): string[] {
  return [...stream.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
}

/** Returns the names of the envelope fields that paths and filters use. */
export function listEndpointFields(endpoints: Endpoints): string[] {
  return [...new Set([...listPathFields(endpoints), ...endpoints.filters])];
}
