import type { Answer } from "./answer.js";

/** The way to an adapter, which carries requests there and answers back. */
export interface Transport {
  /** Sends requests, each of them JSON text. */
  send(requests: readonly string[]): void;
  /** Describes what arrived after the last complete answer, as the rest of a sentence; an empty text if nothing did. */
  describeRest(): string;
  /** Ends the transport. Then the listener is not called any more. */
  close(): void;
}

/** Receives what happens on a transport. */
export interface TransportListener {
  takeAnswer(answer: Answer): void;
  /** Is called if all answers to the first `count` requests must have arrived. */
  expectAnswers(count: number): void;
  /** Is called if the adapter has ended. `event` continues a sentence that begins with "The adapter". */
  end(event: string): void;
  /** Is called if the adapter sends something other than the expected messages. */
  refuse(message: string): void;
}

/** The settings with which the kit reaches an adapter. */
export interface AdapterAccess {
  /** The milliseconds after which an adapter that does not answer is silent. */
  readonly timeout: number;
  /** A sentence, without a full stop, that says how the kit continues after the adapter failed. */
  readonly recovery: string;
  openTransport(listener: TransportListener): Transport;
}

/** The maximum size of an answer in megabytes. */
export const MAX_ANSWER_MB = 64;

/** The maximum size of an answer in bytes. */
export const MAX_ANSWER_BYTES = MAX_ANSWER_MB * 1024 * 1024;
