/**
 * The library behind the command line. Its functions turn protocols into findings and files, which they return as data.
 * Only `loadSchemas`, `readRuntime`, `readReleases` and `openBaseline` read files. Only `openBaseline` writes files, in a
 * temporary folder that it removes again.
 */
export type { Effect, Rule } from "./compat/change.js";
export { type CheckInput, type CheckResult, checkCompatibility as checkCompat } from "./compat/check.js";
export type { CompatFinding } from "./compat/create-finding.js";
export { listNewDeprecations, type NewDeprecation } from "./compat/history/deprecations.js";
export { type ContainmentCache, createContainmentCache } from "./compat/proof/readings.js";
export { RULES } from "./compat/rules/rules.js";
export type { BaselineSide, Side } from "./compat/side.js";
export { type CheckedEvent, checkEvent, type EventContext, type Locate } from "./conform/check-event.js";
export type {
  EventChecker,
  EventCheckerOptions,
  EventFinding,
  PushOptions,
} from "./conform/event-checker.js";
export { findProtocol } from "./conform/find-protocol.js";
export { createStreamChecker } from "./conform/protocol-checker.js";
export {
  type Containment,
  type ContainmentOptions,
  checkContainment,
} from "./contain/contain.js";
export { emitProtocol } from "./emit/emit.js";
export type { EmitContext, Emitter } from "./emit/emitter.js";
export { emitRelease } from "./emit/release.js";
export type { Finding, Location, Severity } from "./finding.js";
export type { Json, JsonObject } from "./json.js";
export { type Baseline, openBaseline } from "./load/baseline/baseline.js";
export { BaselineError, type BaselineSpec, parseBaseline } from "./load/baseline/baseline-spec.js";
export { type LocatePlace, locateOnDisk } from "./load/baseline/locate-place.js";
export { type ConsumerRecord, recordConsumer } from "./load/consumer-records.js";
export { type LoadResult, loadSchemas } from "./load/load.js";
export type { LoadOptions } from "./load/protocol.js";
export { type ReadRelease, readRelease } from "./load/releases/read-release.js";
export { type Release, readReleases } from "./load/releases/release-history.js";
export { readRuntime } from "./load/runtime.js";
export { createBodyReading, createEnvelopeReading } from "./protocol/message-readings.js";
export type {
  Deprecation,
  Envelope,
  EventType,
  OutputFile,
  Placement,
  Protocol,
  Resource,
  Stability,
  Stream,
  Tombstone,
  Waiver,
} from "./protocol/protocol.js";
export { formatJsonReport } from "./report/json.js";
export { REPORT_FORMATS, REPORTERS, type ReportFormat } from "./report/report.js";
export type { Reporter, ReportOptions, Summary } from "./report/reporter.js";
export { formatTextReport } from "./report/text.js";
export { createRowMapper, type MappedRow, type RowFailure, type RowMapper } from "./rows/map-row.js";
export { DIALECTS, type Dialect } from "./schema/dialects.js";
export type { Definition, Schema } from "./schema/json-schema.js";
export {
  buildDocument as document,
  PROFILES,
  type Profile,
  type Reading,
  readAs,
} from "./schema/readings.js";
export { createValidators, type Validators } from "./validators/protocol-validators.js";
