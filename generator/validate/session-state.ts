/** What a session holds, and how it reports. */
import type { StreamFinding } from "../conform/stream-checker.js";
import type { Finding, Location } from "../finding.js";
import type { Input } from "../ingest/place.js";
import { locate, type Place } from "../ingest/place.js";
import type { StreamShare } from "../ingest/stream-share.js";
import type { Profile } from "../schema/readings.js";
import type { Validators } from "../validators/protocol-validators.js";
import type { Home } from "./assumed-protocol.js";
import type { Followed } from "./followed.js";
import type { Marks } from "./place-table.js";
import type { Stats } from "./stats.js";
import type { Ordered, Tally } from "./tally.js";

/** What a session is told. */
export interface SessionOptions {
  readonly inputs: readonly Input[];
  readonly validators: readonly Validators[];
  readonly profile: Profile;
  /** Whether events are judged one by one, without their streams. */
  readonly eventsOnly: boolean;
  /** The streams that are this thread's. */
  readonly share: StreamShare;
  readonly stats: Stats | undefined;
  /** Whether two contents stand for the same bytes. */
  same(one: unknown, other: unknown): boolean;
  report(found: Ordered): void;
  /** Whether there is room for another finding; where there is none, its exact place is not looked up. */
  hasRoom(): boolean;
}

/** What was read so far, and what is known about it. */
export interface State {
  readonly options: SessionOptions;
  readonly followed: ReadonlyMap<string, Followed>;
  readonly tally: Tally;
  readonly marks: Marks;
  readonly asked: { readonly profile: Profile };
  home: Home;
  /** Whether the input has had anything yet, for whichever thread. */
  any: boolean;
  /** The bytes of the inputs before this one. */
  base: number;
}

/** The place of a part of an event; only roughly where nobody will see it. */
export function whereIs(
  { options }: State,
  place: Place,
  pointer: string,
  part?: "value" | "name",
): Location {
  if (options.hasRoom()) return locate(place, pointer, part);
  const { input, line, pointer: before } = place;
  return { file: input.name, pointer: before + pointer, line };
}

/** Something cannot be followed, so its stream has a hole, or every stream if it cannot be told which. */
export function lose(state: State, place: Place): void {
  if (state.options.eventsOnly) return;
  const stream = place.hint();
  if (stream !== undefined && state.home.protocol) state.home.protocol.checker.lost(stream);
  else for (const { checker } of state.followed.values()) checker.lost();
}

/** Parts without a stream are the thread's that the raw line hints at, or the first one's. */
export function isMine(share: StreamShare, place: Place): boolean {
  if (share.of === 1) return true;
  const hint = place.hint();
  return (hint === undefined ? 0 : share.owner(hint)) === share.index;
}

/** A breach as a finding; at `place` if it is about the event there, else where its mark says. */
export function breachFinding(
  state: State,
  { rule, severity, message, hint, pointer, mark }: StreamFinding,
  place: Place | undefined,
): Finding {
  const about = { rule, severity, message };
  if (place) return { ...about, at: whereIs(state, place, pointer), hint };
  const at = state.marks.location(mark);
  return { ...about, at: { ...at, pointer: at.pointer + pointer }, hint };
}

/** Reports what was found at a place. */
export function report(state: State, place: Place, findings: readonly Finding[]): void {
  const order = state.base + place.offset;
  for (const finding of findings) reportAt(state, finding, order, place.item);
}

/** Reports a finding that belongs where these numbers say. */
export function reportAt({ tally, options }: State, finding: Finding, order: number, item: number): void {
  tally.findings++;
  if (finding.severity === "error") tally.errors++;
  options.report({ finding, order, item });
}
