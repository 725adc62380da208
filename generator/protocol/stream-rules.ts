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
  readonly machines?: readonly StateMachine[];
  readonly texts?: readonly TextParts[];
  readonly offsets?: readonly ByteOffsets[];
  readonly exclusives?: readonly ExclusiveTypes[];
  readonly rising?: readonly RisingFields[];
  readonly ordered?: readonly OrderedFields[];
  readonly sums?: readonly Sum[];
  readonly counts?: readonly EventCount[];
  readonly only?: readonly TypeCondition[];
  readonly aliases?: readonly Alias[];
  readonly relativePaths?: readonly RelativePath[];
  readonly hierarchy?: Hierarchy;
  readonly preparations?: readonly Preparation[];
  readonly dedicatedStreams?: readonly DedicatedStream[];
  readonly agree?: readonly Agreement[];
  readonly differ?: readonly Difference[];
  readonly constant?: readonly ConstantFields[];
  readonly templates?: readonly Template[];
  readonly chains?: readonly Chain[];
  readonly thresholds?: readonly Threshold[];
  readonly redactions?: Redactions;
  readonly stages?: readonly Stages[];
  readonly blocks?: readonly Block[];
}

/** The profiles that a declaration of a rule binds. */
interface RuleScope {
  /** `writer` if readers may not rely on the rule. If absent, writers promise it to readers. */
  readonly profile?: "writer";
}

/** Values of payload fields by their names. An event must have all of them. */
export interface FieldValues {
  readonly [field: string]: string | number | boolean;
}

/** An event type that reports missing events of the stream. */
export interface GapMarker {
  readonly type: string;
  /** The field with the first missing number; absent if the event does not state numbers. */
  readonly first?: string;
  /** The field with the last missing number. */
  readonly last?: string;
}

/** The end of a stream. */
interface Terminal {
  /** Event types that begin the work that a terminal event ends. */
  readonly opens: readonly string[];
  /** The types of terminal events. */
  readonly types: readonly string[];
  /** True if no event of any type comes after a terminal event. */
  readonly final?: boolean;
  /** True if writers send one terminal event only. */
  readonly once?: boolean;
}

/** An event type that comes first in its stream, or directly after some of the types in `after`. */
interface Opening extends RuleScope {
  readonly type: string;
  readonly after?: readonly string[];
}

/** Things with an id that start and end inside of one stream. Each event type with the field `key` is about such a thing. */
export interface Lifecycle extends RuleScope {
  /** The field with the id of the thing. */
  readonly key: string;
  /** Event types that start a thing. */
  readonly start: readonly string[];
  /** Event types that end a thing. Each thing ends at most once, and no event about it comes after its end. */
  readonly end: readonly string[];
  /** Event types that may come after the end all the same. */
  readonly after?: readonly string[];
  /** Event types after which the id of a thing that has ended names a new thing. */
  readonly restart?: readonly string[];
  /** True if no event about a thing comes before its start. */
  readonly needsStart?: boolean;
  /** True if writers end each thing before the terminal event of its stream. */
  readonly endsInStream?: boolean;
}

/** Two event types that come in turns, `open` first. */
interface Pair extends RuleScope {
  readonly open: string;
  readonly close: string;
  /** Fields with the same value in both events. */
  readonly same?: readonly string[];
  /** Event types after which nothing is open, although it was not closed. */
  readonly reset?: readonly string[];
}

/** The states of things, and how they follow each other. */
export interface Transitions extends RuleScope {
  /** The noun for the things, for messages. */
  readonly name: string;
  /** The states that may follow a state directly, by that state. A state that is not a key is not checked. */
  readonly moves: { readonly [state: string]: readonly string[] };
  readonly events: readonly StateEvent[];
}

/** An event type that says in which state a thing is now. */
export interface StateEvent {
  readonly type: string;
  /** The field with the id of the thing, or with a list of ids. */
  readonly key: string;
  /** The field with the new state. */
  readonly to?: string;
  /** The new state itself, if all events of the type have the same. */
  readonly state?: string;
  /** The field with the previous state. */
  readonly from?: string;
  /** The values of the events that state a state; by default, all events of the type do. */
  readonly when?: FieldValues;
}

/** A thing of a stream, or the stream itself, that is in one of a few states. */
export interface StateMachine extends RuleScope {
  /** The noun for the thing, for messages. */
  readonly name: string;
  /** The field with the id of the thing, or with a list of ids; by default, there is one thing for each stream. */
  readonly key?: string;
  /** The state before any event has changed it. */
  readonly initial: string;
  readonly changes: readonly StateChange[];
  readonly forbids?: readonly StateBan[];
}

/** Events that bring a thing into a state. The first change that fits an event and the current state counts. */
export interface StateChange {
  readonly types: readonly string[];
  /** The values of the events that change the state; by default, all events of the types do. */
  readonly when?: FieldValues;
  /** The states in which the events may come; by default, any state. */
  readonly from?: readonly string[];
  /** The state that follows; by default, the state stays. */
  readonly to?: string;
}

/** Events that do not come while a thing is in one of some states. */
export interface StateBan {
  readonly in: readonly string[];
  /** Event types and families such as `tool.*`. */
  readonly types: readonly string[];
  /** Event types of these families that may come. */
  readonly except?: readonly string[];
  /** The values of the forbidden events; by default, all events of the types are forbidden. */
  readonly when?: FieldValues;
  /** Only events with one of these fields are forbidden. */
  readonly has?: readonly string[];
  /**
   * A field, which may be the key. Only events with the value that the thing has are forbidden: its id, or the last value of
   * the events that changed its state. By default, all events of the stream are.
   */
  readonly same?: string;
}

/** A text that is sent in pieces and then as a whole. */
interface TextParts extends RuleScope {
  /** The event type of a piece. */
  readonly delta: string;
  /** The field of a piece with its text. */
  readonly part: string;
  /** The event type of the whole text. */
  readonly whole: string;
  /** The field of the whole with its text. */
  readonly text: string;
  /** The fields of both event types that identify the text. */
  readonly key: readonly string[];
  /** Event types after which texts begin again. */
  readonly restart?: readonly string[];
}

/** Pieces of output that state how many bytes of the same output came before. */
export interface ByteOffsets extends RuleScope {
  readonly type: string;
  /** The field with the id of the source, and the field with the name of one of its outputs. */
  readonly key: readonly [source: string, output: string];
  /** The field with the number of bytes before the piece. */
  readonly offset: string;
  /** The field with the text of the piece. */
  readonly data: string;
  /** Event types after which the outputs of a source begin again. */
  readonly start?: readonly string[];
  /** The event type that ends a source. */
  readonly end?: string;
  /** The fields of that event type with the number of bytes of an output, by the name of the output. */
  readonly totals?: { readonly [output: string]: string };
  /** The field of that event type that is true if the totals also count bytes that were not sent. */
  readonly unless?: string;
}

/** Event types of which each section of a stream has at most one event. */
interface ExclusiveTypes extends RuleScope {
  readonly types: readonly string[];
  /** Event types that begin the next section. */
  readonly reset: readonly string[];
}

/** Fields with numbers, or objects of numbers, that never decrease within a stream. */
interface RisingFields extends RuleScope {
  readonly type: string;
  readonly fields: readonly string[];
  /** The difference of a number and the one before it. */
  readonly step?: number;
  /** The first number of a complete stream. */
  readonly first?: number;
  /** Event types after which the numbers start again. */
  readonly restart?: readonly string[];
}

/** Fields of one event with numbers, or objects of numbers. Each value is at most that of the next field that is present. */
interface OrderedFields extends RuleScope {
  readonly type: string;
  readonly fields: readonly string[];
  /** True if the last of these numbers is at most the number of the event in its stream. */
  readonly upToSequence?: boolean;
}

/** A number of an event that is the sum of others. */
interface Sum extends RuleScope {
  readonly type: string;
  /** The field with the sum. */
  readonly sum: string;
  /** The fields with the numbers that are added. */
  readonly of: readonly string[];
  /** A number of an earlier event that is added, too. */
  readonly plus?: EarlierNumber;
}

/** A number of the last event of a type. */
interface EarlierNumber {
  readonly type: string;
  readonly field: string;
  /** Event types after which the number no longer counts. */
  readonly until?: readonly string[];
  readonly initial?: number;
}

/** A field with the number of the events about one thing that came before. */
interface EventCount extends RuleScope {
  readonly type: string;
  /** The field with the number. */
  readonly field: string;
  /** The event types that are counted. */
  readonly of: readonly string[];
  /** The field with the id of the thing. */
  readonly key: string;
  /** Event types of the thing that begin the count. */
  readonly start: readonly string[];
}

/** Event types that come only if a field has one of some values. */
interface TypeCondition extends RuleScope {
  readonly types: readonly string[];
  /** The field: a payload field of the event that `of` names; without `of`, an envelope field of the event itself. */
  readonly field: string;
  /** The type of the earlier event with the field, and the field of both with the id of the same thing. */
  readonly of?: { readonly type: string; readonly key: string };
  /** The values that the field may have. */
  readonly is?: readonly string[];
  /** The values that the field must not have. */
  readonly not?: readonly string[];
}

/** An optional envelope field that repeats another one. */
interface Alias extends RuleScope {
  readonly field: string;
  readonly of: string;
  /** The values of the envelope fields of the events in which writers send the alias; by default, in all events. */
  readonly where?: { readonly [field: string]: string };
}

/** A field with a path, or a list of paths, none of which is absolute. */
interface RelativePath extends RuleScope {
  readonly type: string;
  readonly field: string;
}

/** Two layers of writers. */
interface Hierarchy extends RuleScope {
  /** The envelope field with the id of the writer. */
  readonly id: string;
  /** The envelope field with the id of a writer of the top layer. It is empty in events of the top layer itself. */
  readonly parent: string;
}

/** Events that come before the work that they prepare for, such as an automatic snapshot before a tool call. */
interface Preparation extends RuleScope {
  readonly type: string;
  /** The field with the name of the work. */
  readonly name: string;
  /** The values of the events that prepare; by default, all events of the type do. */
  readonly when?: FieldValues;
  /** Event types that report a failed preparation; the next work needs none. */
  readonly failed?: readonly string[];
  readonly work: {
    /** The event type that starts the work. */
    readonly start: string;
    /** The event types that end the work. */
    readonly end: readonly string[];
    /** The field of these event types with the id of the work. */
    readonly key: string;
    /** The field of the start with the name of the work. */
    readonly name: string;
  };
}

/** Streams that belong to one thing each, whose id they have. */
export interface DedicatedStream extends RuleScope {
  /** Event types about such a thing. */
  readonly types: readonly string[];
  /** The field of these event types with the id of the thing. */
  readonly key: string;
  /** The envelope field with the id of the stream. */
  readonly stream: string;
  /** The values of envelope fields that mark such a stream; absent if the id alone shows it. */
  readonly where?: { readonly [field: string]: string };
  /** Event types that never come on such a stream. */
  readonly excluded?: readonly string[];
  /** True if the event types occur on such streams only. */
  readonly always?: boolean;
}

/** Fields of one event that have the same value if they are present. */
interface Agreement extends RuleScope {
  readonly types: readonly string[];
  readonly fields: readonly string[];
}

/** A field that never has the value of another one. */
interface Difference extends RuleScope {
  readonly type: string;
  readonly field: string;
  /** The other field, if it belongs to the payload. */
  readonly from?: string;
  /** The other field, if it belongs to the envelope. */
  readonly fromEnvelope?: string;
}

/** Fields that keep their value in all events about one thing. */
export interface ConstantFields extends RuleScope {
  /** The field with the id of the thing, or with a list of ids; without it, the thing is the stream. */
  readonly key?: string;
  /** Only events of these types, and families of types, are compared. */
  readonly types?: readonly string[];
  readonly fields: readonly string[];
  /** True if the fields are different names of one value. */
  readonly oneValue?: boolean;
  /** True if the fields are fields of the envelope. */
  readonly inEnvelope?: boolean;
  /** Event types of the same thing after which the fields may have other values. */
  readonly restart?: readonly string[];
}

/** A field that is made of others: `mcp__{server}__{tool}`. */
interface Template extends RuleScope {
  readonly field: string;
  readonly template: string;
}

/** An event type of which each event repeats a value of the previous event of the type. */
interface Chain extends RuleScope {
  readonly type: string;
  /** The field with the repeated value. */
  readonly previous: string;
  /** The field whose value the next event repeats. */
  readonly current: string;
  /** Event types that repeat the current value, with the fields that hold it. */
  readonly copies?: readonly { readonly type: string; readonly field: string }[];
}

/** A number that has reached a percentage of another one. */
export interface Threshold extends RuleScope {
  readonly type: string;
  /** The field with the number. */
  readonly value: string;
  /** The field with the number of which the percentage is taken. */
  readonly of: string;
  /** The field with the percentage. */
  readonly percent: string;
  /** True if each percentage of the same number is reported once. */
  readonly once?: boolean;
}

/** The fields in which payloads list what was removed or masked before an event was written. */
interface Redactions extends RuleScope {
  /** The field with a list of names of payload fields. */
  readonly keys: string;
  /** The field with a list of paths to values deeper in the payload. */
  readonly paths: string;
}

/** Event types about one thing that come in this order, each at most once. */
interface Stages extends RuleScope {
  /** The field with the id of the thing, or with a list of ids. */
  readonly key: string;
  /** Stages in their order, each with the event types that make it. */
  readonly stages: readonly (readonly string[])[];
  /** Event types that may come more than once in their stage. */
  readonly repeat?: readonly string[];
}

/** Events after which others must not come, for as long as nothing ends the block. */
export interface Block extends RuleScope {
  /** The event types that begin the block. */
  readonly after: readonly string[];
  /** The values of the events that begin the block; by default, all events of these types do. */
  readonly when?: FieldValues;
  /** The fields that events which begin the block do not have. */
  readonly without?: readonly string[];
  /** True if an event after the terminal event of its stream does not begin the block. */
  readonly beforeEnd?: boolean;
  /** The field in which the first event and the forbidden events have the same value; by default, the whole stream is blocked. */
  readonly key?: string;
  /** Event types and families such as `tool.*`. If there is a key, a family means only its event types with that field. */
  readonly forbids: readonly string[];
  /** The values of the forbidden events; by default, all events of these types are forbidden. */
  readonly forbidsWhen?: FieldValues;
  /** Event types of these families that may come. */
  readonly except?: readonly string[];
  readonly until?: BlockEnd;
}

/** The event types that end a block. */
interface BlockEnd {
  readonly types: readonly string[];
  /** The field in which the first and the last event of the block have the same value; by default, any event of these types ends the block. */
  readonly key?: string;
  /** The values of the events that end the block; by default, all events of these types do. */
  readonly when?: FieldValues;
  /** Event types with the field `key` after which the end of a later block of the same thing ends this one, too. */
  readonly expiry?: readonly string[];
}
