/**
 * A correct consumer of another design, written without `accrete-client/stream`: it keeps every event by its id. For each
 * snapshot it builds what is shown from all events in the order of their numbers. It works with any protocol.
 */
import type { Adapter, KitProtocol } from "../../../generator/kit/index.js";

const END = /\r?\n\r?\n/;

type Event = { readonly [field: string]: unknown };

interface Text {
  readonly whole: boolean;
  readonly text: string;
}

export function rebuilderAdapter(protocol: KitProtocol): Adapter {
  const { discriminator, property } = protocol.envelope;
  const { key = [], sequence = "", id } = protocol.stream ?? {};
  const { lifecycles = [], texts = [] } = (protocol.rules ?? {}) as {
    readonly lifecycles?: readonly { readonly key: string }[];
    readonly texts?: readonly {
      delta: string;
      part: string;
      whole: string;
      text: string;
      key: readonly string[];
      restart?: readonly string[];
    }[];
  };
  const streams = new Map<string, Map<unknown, Event>>();
  let decoder = new TextDecoder();
  let buffered = "";

  const streamOf = (event: Event): string => key.map((field) => String(event[field])).join("/");
  const typeOf = (event: Event): string => String(event[discriminator]);
  const known = (event: Event): boolean => Object.hasOwn(protocol.schemas.events, typeOf(event));
  const payloadOf = (event: Event): Event => {
    const name = property ?? protocol.schemas.events[typeOf(event)]?.property;
    return name === undefined ? event : ((event[name] ?? {}) as Event);
  };

  function push(event: Event): void {
    const stream = streamOf(event);
    const events = streams.get(stream) ?? new Map<unknown, Event>();
    streams.set(stream, events);
    const name = id === undefined ? events.size : event[id];
    if (!events.has(name)) events.set(name, event);
  }

  function sorted(stream: string): Event[] {
    const events = [...(streams.get(stream)?.values() ?? [])];
    return sequence === "" ? events : events.sort((a, b) => Number(a[sequence]) - Number(b[sequence]));
  }

  function view(stream: string) {
    const blocks = new Map<string, Text>();
    const calls = new Map<string, unknown[]>();
    const rest: unknown[] = [];
    let epoch = 0;
    for (const event of sorted(stream)) {
      const type = typeOf(event);
      const payload = payloadOf(event);
      const text = texts.find(({ delta, whole }) => type === delta || type === whole);
      const life = lifecycles.find((rule) => typeof payload[rule.key] === "string");
      if (texts.some(({ restart = [] }) => restart.includes(type))) epoch++;
      if (text) {
        const name = JSON.stringify([text.whole, epoch, ...text.key.map((field) => payload[field])]);
        const before = blocks.get(name) ?? { whole: false, text: "" };
        if (type === text.whole) blocks.set(name, { whole: true, text: String(payload[text.text]) });
        else if (!before.whole)
          blocks.set(name, { whole: false, text: before.text + String(payload[text.part]) });
      } else if (life && known(event)) {
        const name = JSON.stringify([life.key, payload[life.key]]);
        calls.set(name, [...(calls.get(name) ?? []), { type, payload }]);
      } else rest.push(known(event) ? { type, payload } : event);
    }
    return { texts: [...blocks.values()], calls: [...calls.values()], rest };
  }

  function take(line: string): void {
    const value = JSON.parse(line) as Event;
    push(value.object === "event" ? (value.data as Event) : value);
  }

  return {
    create() {
      streams.clear();
      decoder = new TextDecoder();
      buffered = "";
    },
    push,
    snapshot: () => Object.fromEntries([...streams.keys()].map((stream) => [stream, view(stream)])),
    opaque: () => [...streams.keys()].flatMap((stream) => sorted(stream).filter((event) => !known(event))),
    viewRun: view,
    ingest(more: Uint8Array) {
      buffered += decoder.decode(more, { stream: true });
      for (let end = END.exec(buffered); end !== null; end = END.exec(buffered)) {
        const lines = buffered.slice(0, end.index).split(/\r?\n/);
        buffered = buffered.slice(end.index + end[0].length);
        const data = lines
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).replace(/^ /, ""));
        if (data.length > 0) take(data.join("\n"));
      }
    },
  };
}
