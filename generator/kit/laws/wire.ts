import type { Json } from "../../json.js";
import type { KitEvent } from "../event-maker.js";
import type { Law } from "../law.js";
import type { Random } from "../random.js";
import type { Trial } from "../trial.js";
import { expectSame } from "./basic.js";

/** Server-sent events as bytes. */
export const wireLaws: readonly Law[] = [
  {
    id: "sse-framing",
    law: "ingest() shows what push() does, wherever the bytes of server-sent events are cut: inside a character, inside CRLF, inside a frame; comments, ids and several data lines among them.",
    hook: "ingest",
    streams: 2,
    check: (trial) => ingested(trial, (event) => event, false),
  },
  {
    id: "sse-wrapped",
    law: 'ingest() takes events with and without a name, and with and without the wrapper { "object": "event", "data": … }.',
    hook: "ingest",
    absent: ({ validators }) => {
      const { resources } = validators.reader as { readonly resources?: ReadonlyMap<string, unknown> };
      return (resources?.size ?? 0) === 0 ? "this protocol declares no wrapper" : undefined;
    },
    check: (trial) =>
      ingested(
        trial,
        (event, random) => (random.chance(0.5) ? event : { object: "event", data: event }),
        true,
      ),
  },
];

function ingested(trial: Trial, wrap: (event: KitEvent, random: Random) => Json, named: boolean): void {
  const { events, random, protocol } = trial;
  const pushed = trial.view(events);
  const end = random.pick(["\n", "\r\n"]);
  const sequence = protocol.stream?.sequence;
  const frame = (event: KitEvent): string => {
    const spaced = random.chance(0.3) ? 1 : undefined;
    const data = JSON.stringify(wrap(event, random), null, spaced).split("\n");
    const lines = [
      ...(random.chance(0.2) ? [": ping"] : []),
      ...(sequence === undefined ? [] : [`id: ${String(event[sequence])}`]),
      ...(named && random.chance(0.5)
        ? [`event: ${random.pick(["event", String(event[protocol.envelope.discriminator])])}`]
        : []),
      ...data.map((line) => (random.chance(0.8) || line.startsWith(" ") ? `data: ${line}` : `data:${line}`)),
      "",
    ];
    return lines.map((line) => line + end).join("");
  };
  const bytes = new TextEncoder().encode(`: hello${end}retry: 1000${end}${end}${events.map(frame).join("")}`);
  const consumer = trial.fresh();
  trial.note(events);
  const longest = random.pick([1, 7, 200]);
  for (let at = 0; at < bytes.length; ) {
    const to = at + 1 + random.below(longest);
    feed(trial, consumer, bytes.slice(at, to));
    at = to;
  }
  expectSame(
    trial,
    pushed,
    trial.show(consumer),
    `When the same events come as bytes, at most ${longest} at once`,
  );
}

function feed(trial: Trial, consumer: ReturnType<Trial["fresh"]>, bytes: Uint8Array): void {
  try {
    consumer.ingest?.(bytes);
  } catch (error) {
    trial.fail(`ingest of ${JSON.stringify(new TextDecoder().decode(bytes))} threw ${String(error)}`);
  }
}
