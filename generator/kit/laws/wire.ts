import type { Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import type { Law } from "../law.js";
import { callConsumer } from "../observe.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";

/** Laws about server-sent events as bytes. */
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
    findSkipReason: ({ validators }) => {
      const { resources } = validators.reader as { readonly resources?: ReadonlyMap<string, unknown> };
      return (resources?.size ?? 0) === 0 ? "this protocol declares no wrapper" : undefined;
    },
    check: checkWrapper,
  },
];

/** The form in which frames are written and cut. */
interface Framing {
  readonly lineEnd: string;
  /** The probability of each optional element of a frame, such as a comment. */
  readonly noise: number;
  /** The largest number of bytes per chunk. */
  readonly chunkSize: number;
}

/** One line per frame without optional elements, all bytes in one chunk. */
const PLAIN: Framing = { lineEnd: "\n", noise: 0, chunkSize: Number.POSITIVE_INFINITY };

/** The content of a frame. */
interface Frame {
  readonly name?: string;
  readonly data: Json;
}

function* checkFraming(trial: Trial): Steps<void> {
  const { random } = trial;
  const lineEnd = random.pick(["\n", "\r\n"]);
  const framing = { lineEnd, noise: 0.25, chunkSize: random.pick([1, 7, 200]) };
  const when = `When the same events come as bytes, at most ${framing.chunkSize} at once`;
  const frames = trial.events.map((event) => ({ data: event }));
  yield* expectIngested(trial, framing, frames, when);
}

function* checkWrapper(trial: Trial): Steps<void> {
  const { events, random, protocol } = trial;
  const frames = events.map((event): Frame => {
    const data = random.chance(0.5) ? event : { object: "event", data: event };
    const names = ["event", String(event[protocol.envelope.discriminator])];
    return random.chance(0.5) ? { data, name: random.pick(names) } : { data };
  });
  yield* expectIngested(trial, PLAIN, frames, "When the same events come with names or wrappers");
}

/** Fails unless the frames of the generated events, given to ingest(), show the same as the events given to push(). */
function* expectIngested(
  trial: Trial,
  framing: Framing,
  frames: readonly Frame[],
  when: string,
): Steps<void> {
  const { events, random } = trial;
  const expectedView = yield* trial.view(events);
  const { lineEnd, noise, chunkSize } = framing;
  const greetingLines = noise === 0 ? "" : `: hello${lineEnd}retry: 1000${lineEnd}${lineEnd}`;
  const texts = frames.map((frame, index) => writeFrame(trial, framing, frame, events[index] ?? {}));
  const bytes = new TextEncoder().encode(greetingLines + texts.join(""));
  const consumer = yield* trial.create();
  trial.setFixture(events);
  let from = 0;
  while (from < bytes.length) {
    const to = chunkSize < bytes.length ? from + 1 + random.below(chunkSize) : bytes.length;
    const chunk = bytes.slice(from, to);
    yield* callConsumer(
      () => `ingest of ${JSON.stringify(new TextDecoder().decode(chunk))}`,
      () => consumer.ingest?.(chunk),
    );
    from = to;
  }
  trial.expectSame(expectedView, yield* trial.show(consumer), when);
}

function writeFrame(
  { random, protocol }: Trial,
  { lineEnd, noise }: Framing,
  { name, data }: Frame,
  event: SampleEvent,
): string {
  const sequence = protocol.stream?.sequence;
  const text = JSON.stringify(data, null, random.chance(noise) ? 1 : undefined);
  // The space after the colon is optional, unless the line itself begins with a space.
  const formatDataLine = (line: string): string =>
    random.chance(noise) && !line.startsWith(" ") ? `data:${line}` : `data: ${line}`;
  const lines = [
    ...(random.chance(noise) ? [": ping"] : []),
    ...(sequence === undefined ? [] : [`id: ${String(event[sequence])}`]),
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...text.split("\n").map(formatDataLine),
    "",
  ];
  return lines.map((line) => line + lineEnd).join("");
}
