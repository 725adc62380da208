/** `reader`: what a tolerant consumer accepts. `writer`: what a well-behaved emitter may produce. */
export type Profile = "reader" | "writer";

/** Why a value was refused. Also an issue of Standard Schema. */
export interface Issue {
  /** JSON pointer (RFC 6901) of the value at fault; for a missing field, of the object that lacks it. */
  readonly pointer: string;
  /** The JSON Schema keyword that refused it. */
  readonly keyword: string;
  /** What must be true of the value at `pointer`, without a subject: "must be >= 0". */
  readonly message: string;
  /** The pointer's reference tokens. */
  readonly path: readonly string[];
}

/** The interface of Standard Schema, version 1 (standardschema.dev), without a dependency on it. */
export interface Standard<T> {
  readonly version: 1;
  readonly vendor: "accrete";
  readonly validate: (
    value: unknown,
  ) => { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };
  readonly types?: { readonly input: T; readonly output: T } | undefined;
}

/** A type guard that can say why, and a Standard Schema. */
export interface Validator<T> {
  (value: unknown): value is T;
  /** Every reason why `value` is refused; empty if it is accepted. */
  issues(value: unknown): Issue[];
  readonly "~standard": Standard<T>;
  /** The compiled functions behind it, each of which must accept the value. */
  readonly checks: readonly Check[];
}

/** What became of a value. An unknown event type with a valid envelope is never an error. */
export type DecodeResult<Event, Unknown> =
  | { readonly kind: "known"; readonly event: Event }
  | { readonly kind: "unknown"; readonly event: Unknown }
  | { readonly kind: "invalid"; readonly issues: Issue[] };

/** Sorts a value into known event, unknown event or invalid. Never throws on JSON values and never changes them. */
export type DecodeEvent<Event, Unknown> = (value: unknown) => DecodeResult<Event, Unknown>;

/** Decodes as a tolerant reader by default, or as a strict writer. */
export type DecodeWithProfile<Event, Unknown> = (
  value: unknown,
  options?: { readonly profile?: Profile },
) => DecodeResult<Event, Unknown>;

/** A fault that a check found. `name` is the undeclared property of the object at `pointer`. */
export interface Fault {
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  readonly name?: string | undefined;
}

/** A compiled function: on false its `errors` say why. */
export interface Check {
  (value: unknown): boolean;
  errors?: readonly Fault[] | null;
}

export interface EventValidator<T> extends Validator<T> {
  readonly body: Check;
}

export interface ProfileValidators {
  readonly envelope: Validator<unknown>;
  readonly events: ReadonlyMap<string, EventValidator<unknown>>;
}

export function validator<T>(...checks: readonly Check[]): Validator<T>;
export function eventValidator<T>(
  discriminator: string,
  type: string,
  envelope: Validator<unknown>,
  body: Check,
): EventValidator<T>;
export function decoder<Event, Unknown>(
  discriminator: string,
  validators: ProfileValidators,
): DecodeEvent<Event, Unknown>;
export function profileDecoder<Event, Unknown>(decoders: {
  readonly reader: DecodeEvent<Event, Unknown>;
  readonly writer: DecodeEvent<Event, Unknown>;
}): DecodeWithProfile<Event, Unknown>;
export function matcher(pattern: RegExp): { test(text: string): boolean };
export function automaton(
  starts: readonly number[],
  classes: readonly number[],
  steps: readonly (readonly number[])[],
  accepting: readonly (0 | 1)[],
): { test(text: string): boolean };
export function once(check: Check): Check;
export function codePoints(text: string): number;
export function equal(a: unknown, b: unknown): boolean;
