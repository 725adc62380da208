/** Writes events with the verdicts of both readings, against which decoders of other languages are tested. */
import type { Json } from "../../json.js";
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import type { DecodeResult, Profile } from "../../runtime/runtime.js";
import { createBanner, formatLiteral } from "../../text.js";
import type { Validators } from "../../validators/protocol-validators.js";
import type { FixtureEvent } from "../emitter.js";
import { getValidators, makeVectorEvents } from "./vector-events.js";

/** The verdict of one reading. */
export type Verdict =
  | { readonly kind: "known" | "unknown" }
  | {
      readonly kind: "invalid";
      /** Every place that is refused, and the keyword that refuses it. */
      readonly findings: readonly { readonly pointer: string; readonly keyword: string }[];
    };

/** A line of the file, after the first one. */
export interface Vector {
  readonly id: string;
  readonly event: Json;
  readonly reader: Verdict;
  readonly writer: Verdict;
}

/** `vectors.jsonl`: a line that describes the file, then one line for each event, sorted by id. */
export function emitVectors(protocol: Protocol, fixtures: readonly FixtureEvent[]): OutputFile {
  const { id, version } = protocol;
  const validators = getValidators(protocol);
  const events = [...fixtures, ...makeVectorEvents(protocol, validators)];
  const vectors = events
    .map(
      ({ id, event }): Vector => ({
        id,
        event,
        reader: findVerdict(validators, event, "reader"),
        writer: findVerdict(validators, event, "writer"),
      }),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const lines = [{ $comment: createBanner(), protocol: id, version, vectors: vectors.length }, ...vectors];
  return { path: `${id}/vectors.jsonl`, content: lines.map((line) => `${formatLiteral(line)}\n`).join("") };
}

function findVerdict({ decodeEvent }: Validators, event: Json, profile: Profile): Verdict {
  const result: DecodeResult<unknown, unknown> = decodeEvent(event, { profile });
  if (result.kind !== "invalid") return { kind: result.kind };
  return { kind: "invalid", findings: result.issues.map(({ pointer, keyword }) => ({ pointer, keyword })) };
}
