import type { Json } from "../../json.js";
import type { KitEvent } from "../../sample/event-maker.js";
import type { Law } from "../law.js";
import type { Trial } from "../trial.js";
import { expectSame } from "./basic.js";

/** Server-sent events as bytes. */
export const wireLaws: readonly Law[] = [
  {
    id: "sse-framing",
    law: "ingest() gives the same result as push(), wherever the bytes of server-sent events are cut: inside of a character, of CRLF or of a frame. The feed contains comments, ids and several data lines.",
    hook: "ingest",
    streams: 2,
    check: checkFraming,
  },
  {
    id: "sse-wrapped",
    law: 'ingest() accepts events with and without a name, and with and without the wrapper { "object": "event", "data": … }.',
    hook: "ingest",
    absent: ({ validators }) => {
      const { resources } = validators.reader as { readonly resources?: ReadonlyMap<string, unknown> };
      return (resources?.size ?? 0) === 0 ? "this protocol declares no wrapper" : undefined;
    },
    check: checkWrapper,
  },
];

/** The plainest frame: one line, whole, and nothing else around it. */
const PLAIN: Framing = { end: "\n", noise: 0, longest: Number.POSITIVE_INFINITY };

interface Framing {
  readonly end: string;
  /** How likely it is that a frame has more than it needs. */
  readonly noise: number;
  /** The most bytes at once. */
  readonly longest: number;
}

function checkFraming(trial: Trial): void {
  const { random } = trial;
  const framing = { end: random.pick(["\n", "\r\n"]), noise: 0.25, longest: random.pick([1, 7, 200]) };
  const cut = `When the same events come as bytes, at most ${framing.longest} at once`;
  expectIngested(trial, framing, (event) => ({ data: event }), cut);
}

function checkWrapper(trial: Trial): void {
  const { random, protocol } = trial;
  const frame = (event: KitEvent): Frame => ({
    data: random.chance(0.5) ? event : { object: "event", data: event },
    ...(random.chance(0.5) && {
      name: random.pick(["event", String(event[protocol.envelope.discriminator])]),
    }),
  });
  expectIngested(trial, PLAIN, frame, "When the same events come with names or wrappers");
}

interface Frame {
  readonly name?: string;
  readonly data: Json;
}

function expectIngested(
  trial: Trial,
  framing: Framing,
  frameOf: (event: KitEvent) => Frame,
  when: string,
): void {
  const { events, random, protocol } = trial;
  const { end, noise, longest } = framing;
  const pushed = trial.view(events);
  const sequence = protocol.stream?.sequence;
  const frame = (event: KitEvent): string => {
    const { name, data } = frameOf(event);
    const text = JSON.stringify(data, null, random.chance(noise) ? 1 : undefined).split("\n");
    const tight = (line: string): boolean => random.chance(noise) && !line.startsWith(" ");
    const lines = [
      ...(random.chance(noise) ? [": ping"] : []),
      ...(sequence === undefined ? [] : [`id: ${String(event[sequence])}`]),
      ...(name === undefined ? [] : [`event: ${name}`]),
      ...text.map((line) => (tight(line) ? `data:${line}` : `data: ${line}`)),
      "",
    ];
    return lines.map((line) => line + end).join("");
  };
  const hello = noise === 0 ? "" : `: hello${end}retry: 1000${end}${end}`;
  const bytes = new TextEncoder().encode(hello + events.map(frame).join(""));
  const consumer = trial.fresh();
  trial.note(events);
  for (let at = 0; at < bytes.length; ) {
    const to = longest < bytes.length ? at + 1 + random.below(longest) : bytes.length;
    feed(trial, consumer, bytes.slice(at, to));
    at = to;
  }
  expectSame(trial, pushed, trial.show(consumer), when);
}

function feed(trial: Trial, consumer: ReturnType<Trial["fresh"]>, bytes: Uint8Array): void {
  try {
    consumer.ingest?.(bytes);
  } catch (error) {
    trial.fail(`ingest of ${JSON.stringify(new TextDecoder().decode(bytes))} threw ${String(error)}`);
  }
}
