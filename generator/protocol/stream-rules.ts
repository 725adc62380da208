/**
 * The promises of a contract about whole streams, beyond their numbering: the member `stream.rules` of protocol.json. Fields
 * are fields of payloads unless a comment says otherwise.
 */
export interface StreamRules {
  readonly gaps?: readonly GapMarker[];
  readonly terminal?: Terminal;
  readonly openings?: readonly Opening[];
  readonly lifecycles?: readonly Lifecycle[];
  readonly pairs?: readonly Pair[];
  readonly transitions?: readonly Transitions[];
  readonly texts?: readonly TextParts[];
  readonly offsets?: readonly ByteOffsets[];
  readonly exclusives?: readonly Exclusive[];
  readonly rising?: readonly Rising[];
  readonly ordered?: readonly Ordered[];
  readonly sums?: readonly Sum[];
  readonly only?: readonly Only[];
  readonly aliases?: readonly Alias[];
  readonly relativePaths?: readonly RelativePath[];
  readonly hierarchy?: Hierarchy;
  readonly preparations?: readonly Preparation[];
  readonly dedicatedStreams?: readonly DedicatedStream[];
  readonly agree?: readonly Agreement[];
  readonly differ?: readonly Difference[];
  readonly constant?: readonly Constant[];
  readonly templates?: readonly Template[];
  readonly chains?: readonly Chain[];
  readonly thresholds?: readonly Threshold[];
  readonly redactions?: Redactions;
  readonly stages?: readonly Stages[];
  readonly blocks?: readonly Block[];
}

/** The profiles that a declaration binds. */
interface Bound {
  /** `writer`: writers follow it, but readers may not rely on it. Absent: a promise to readers too. */
  readonly profile?: "writer";
}

/** Values of payload fields by their names. An event must have all of them. */
export interface FieldValues {
  readonly [field: string]: string | number | boolean;
}

/** An event type that reports missing events of the stream. */
export interface GapMarker {
  readonly type: string;
  /** The fields with the first and last missing number; absent if the event names none. */
  readonly first?: string;
  readonly last?: string;
}

/** The end of a stream. */
export interface Terminal {
  /** Event types that begin what a terminal event ends. */
  readonly opens: readonly string[];
  readonly types: readonly string[];
  /** True if no event of any type comes after a terminal event. */
  readonly final?: boolean;
  /** True if writers send one terminal event only. */
  readonly once?: boolean;
}

/** An event type that comes first in its stream, or directly after some of the types in `after`. */
export interface Opening extends Bound {
  readonly type: string;
  readonly after?: readonly string[];
}

/** The life of a thing that `key` names, inside of one stream. Each event type with a field `key` is about it. */
export interface Lifecycle extends Bound {
  readonly key: string;
  readonly start: readonly string[];
  /** Each thing that started has at most one of these, and nothing comes after it. */
  readonly end: readonly string[];
  /** Event types that may come after the end. */
  readonly after?: readonly string[];
  /** True if no event about a thing comes before its start. */
  readonly needsStart?: boolean;
  /** True if writers end each thing before the terminal event of its stream. */
  readonly endsInStream?: boolean;
}

/** Two event types that come in turns, `open` first. */
export interface Pair extends Bound {
  readonly open: string;
  readonly close: string;
  /** Fields that have the same value in both. */
  readonly same?: readonly string[];
}

/** The states of things, and how they follow each other. */
export interface Transitions extends Bound {
  /** The noun for the things, for messages. */
  readonly name: string;
  /** State → the states that may follow it directly. States that are not listed are not checked. */
  readonly moves: { readonly [state: string]: readonly string[] };
  readonly events: readonly StateEvent[];
}

/** An event type that says in which state a thing is now. */
export interface StateEvent {
  readonly type: string;
  /** The field with the id of the thing, or with a list of ids. */
  readonly key: string;
  /** The field with the new state; or the state itself, if the type alone says it. */
  readonly to?: string;
  readonly state?: string;
  /** The field with the state before. */
  readonly from?: string;
  /** Only events with these values state a state. */
  readonly when?: FieldValues;
}

/** A text that is sent in pieces and then as a whole. */
export interface TextParts extends Bound {
  /** Event type of a piece, and its field with the text. */
  readonly delta: string;
  readonly part: string;
  /** Event type of the whole, and its field with the text. */
  readonly whole: string;
  readonly text: string;
  /** The fields that name the text; both types have them. */
  readonly key: readonly string[];
  /** Event types after which texts begin again. */
  readonly restart?: readonly string[];
}

/** Pieces of output that say how many bytes came before them. */
export interface ByteOffsets extends Bound {
  readonly type: string;
  /** The field that names the source, and the one that names one of its outputs. */
  readonly key: readonly [source: string, output: string];
  readonly offset: string;
  readonly data: string;
  /** Event types that say that a source begins again. */
  readonly start?: readonly string[];
  /** The event type that ends a source, and its fields with the number of bytes of each output. */
  readonly end?: string;
  readonly totals?: { readonly [output: string]: string };
  /** The totals count more than was sent if this field is true. */
  readonly unless?: string;
}

/** Event types of which each section of a stream has at most one event. */
export interface Exclusive extends Bound {
  readonly types: readonly string[];
  /** Event types that begin the next section. */
  readonly reset: readonly string[];
}

/** Fields with numbers, or objects of numbers, that never decrease within a stream. */
export interface Rising extends Bound {
  readonly type: string;
  readonly fields: readonly string[];
}

/** Fields with numbers, or objects of numbers, of one event: each is at most the next one that is present. */
export interface Ordered extends Bound {
  readonly type: string;
  readonly fields: readonly string[];
}

/** A number of an event that is the sum of others. */
export interface Sum extends Bound {
  readonly type: string;
  readonly sum: string;
  readonly of: readonly string[];
}

/** Event types that come only if a field has certain values. */
export interface Only extends Bound {
  readonly types: readonly string[];
  /** Without `of`, an envelope field of the event itself. */
  readonly field: string;
  /** The earlier event of the same thing that has the field. */
  readonly of?: { readonly type: string; readonly key: string };
  readonly is?: readonly string[];
  readonly not?: readonly string[];
}

/** An optional envelope field that repeats another one. */
export interface Alias extends Bound {
  readonly field: string;
  readonly of: string;
  /** Envelope fields and the value that they have where the alias may stand. */
  readonly where?: { readonly [field: string]: string };
}

/** A field with a path, or a list of paths, none of which is absolute. */
export interface RelativePath extends Bound {
  readonly type: string;
  readonly field: string;
}

/** Two layers of writers, by two envelope fields. The parent is empty in the top layer, and names a writer of the top layer in the other. */
export interface Hierarchy extends Bound {
  readonly id: string;
  readonly parent: string;
}

/** Events that come before the work that they prepare for, such as an automatic snapshot before a tool call. */
export interface Preparation extends Bound {
  readonly type: string;
  /** The field with the name of the work. */
  readonly name: string;
  /** Only events with these values prepare. */
  readonly when?: FieldValues;
  /** Event types that say that a preparation failed; the next work needs none. */
  readonly failed?: readonly string[];
  readonly work: {
    readonly start: string;
    readonly end: readonly string[];
    /** The field of all of them with the id of the work, and the one of the start with its name. */
    readonly key: string;
    readonly name: string;
  };
}

/** Streams that belong to one thing each, whose id they have. */
export interface DedicatedStream extends Bound {
  /** Event types about such a thing, and their field with its id. */
  readonly types: readonly string[];
  readonly key: string;
  /** The envelope field with the id of the stream. */
  readonly stream: string;
  /** Envelope fields and the values that mark such a stream; absent if the id alone shows it. */
  readonly where?: { readonly [field: string]: string };
  /** Event types that never come on such a stream. */
  readonly excluded?: readonly string[];
  /** True if the event types occur on such streams only. */
  readonly always?: boolean;
}

/** Fields of one event that have the same value, as far as they are present. */
export interface Agreement extends Bound {
  readonly types: readonly string[];
  readonly fields: readonly string[];
}

/** A field that never has the value of another one: of a payload field, or of an envelope field. */
export interface Difference extends Bound {
  readonly type: string;
  readonly field: string;
  readonly from?: string;
  readonly fromEnvelope?: string;
}

/** Fields that keep their value in all events about one thing. */
export interface Constant extends Bound {
  /** The field with the id of the thing, or with a list of ids. */
  readonly key: string;
  readonly fields: readonly string[];
}

/** A field that is made of others: `mcp__{server}__{tool}`. */
export interface Template extends Bound {
  readonly field: string;
  readonly template: string;
}

/** An event type whose field repeats what another field of the event before had. */
export interface Chain extends Bound {
  readonly type: string;
  readonly previous: string;
  readonly current: string;
  /** Event types that repeat the value which is in force, and their fields with it. */
  readonly copies?: readonly { readonly type: string; readonly field: string }[];
}

/** A figure that has reached a percentage of another one. */
export interface Threshold extends Bound {
  readonly type: string;
  readonly value: string;
  readonly of: string;
  readonly percent: string;
}

/** The fields in which payloads list what was removed or masked before an event was written. */
export interface Redactions extends Bound {
  /** A list of names of payload fields. */
  readonly keys: string;
  /** A list of paths of places deeper in the payload. */
  readonly paths: string;
}

/** Event types about one thing that come in this order, each at most once. */
export interface Stages extends Bound {
  /** The field with the id of the thing, or with a list of ids. */
  readonly key: string;
  /** Stages in their order, each with the event types that make it. */
  readonly stages: readonly (readonly string[])[];
  /** Event types that may come more than once in their stage. */
  readonly repeat?: readonly string[];
  /** Event types that end the thing. A rule about lifecycles says what may come after them. */
  readonly ends?: readonly string[];
}

/** Events after which others must not come, for as long as nothing ends the block. */
export interface Block extends Bound {
  /** The event types that begin the block. */
  readonly after: readonly string[];
  /** Only events with these values begin it. */
  readonly when?: FieldValues;
  /** Only events without these fields begin it. */
  readonly without?: readonly string[];
  /** True if an event after the terminal event of its stream does not begin it. */
  readonly beforeEnd?: boolean;
  /** The field that the first event and the forbidden ones share; without it, the whole stream is blocked. */
  readonly key?: string;
  /** Event types, and families of event types such as `tool.*`. With a key, only those of a family that have the field. */
  readonly forbids: readonly string[];
  /** Only events with these values are forbidden. */
  readonly forbidsWhen?: FieldValues;
  /** Event types of these families that may come. */
  readonly except?: readonly string[];
  readonly until?: BlockEnd;
}

/** The event types that end a block. */
interface BlockEnd {
  readonly types: readonly string[];
  /** The field that the event which began the block has, too; without it, any such event ends it. */
  readonly key?: string;
  /** Only events with these values end it. */
  readonly when?: FieldValues;
  /** Event types with the field `key` after which the end of a later block of the same thing ends this one, too. */
  readonly expiry?: readonly string[];
}
