/** The paths of a protocol's streams below `/<name>/v<major>`: the member `endpoints` of protocol.json. */
export interface Endpoints {
  /** The path of one stream below that of the protocol. `{field}` stands for the value of an envelope field. */
  readonly stream: string;
  /** The envelope fields by which the feed of all streams can be filtered. */
  readonly filters: readonly string[];
}

/** The parameters of every list of events; no filter can have such a name. */
const PARAMETERS: readonly string[] = ["after_sequence", "event_type", "limit"];

/** The parts of a protocol that determine its paths. */
interface EndpointSource {
  readonly stream?: { readonly key: readonly string[] };
  readonly endpoints?: Partial<Endpoints>;
}

/** Returns the paths and filters of a protocol. Undeclared ones are derived from the key of its streams. */
export function resolveEndpoints({ stream, endpoints }: EndpointSource): Endpoints {
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
