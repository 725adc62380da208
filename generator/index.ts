/**
 * The library behind the command line: protocol folders in, findings and files out. Functions from data to data; only
 * `loadSchemas` and `readRuntime` read files, and nothing writes any.
 */
export { findProtocol } from "./conform/find-protocol.js";
export { type Judging, judgeEvent, type Locate, type Verdict } from "./conform/judge-event.js";
export { protocolValidators, type Validators } from "./conform/validators.js";
export { type EmitContext, type Emitter, emitProtocol } from "./emit/emit.js";
export type { Finding, Location, Severity } from "./finding.js";
export type { Json, JsonObject } from "./json.js";
export { type Loaded, loadSchemas } from "./load/load.js";
export { readRuntime } from "./load/runtime.js";
export { bodyReading, envelopeReading } from "./model/event.js";
export { document, PROFILES, type Profile, type Reading, readAs } from "./model/profile.js";
export type {
  Definition,
  Deprecation,
  Envelope,
  EventType,
  OutputFile,
  Placement,
  Protocol,
  Resource,
  Schema,
  Stability,
  Stream,
  Tombstone,
  Waiver,
} from "./model/protocol.js";
export { jsonReport } from "./report/json.js";
export { FORMATS, type Format, REPORTERS } from "./report/report.js";
export type { Reporter, ReportOptions, Summary } from "./report/reporter.js";
export { textReport } from "./report/text.js";
