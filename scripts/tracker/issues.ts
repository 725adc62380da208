/** Issues that users filed about breaks of the tracker. Each was read, and is about that break. */

/** An issue, and the break that it is about. */
export interface KnownIssue {
  readonly package: string;
  /** The version that brought the break. */
  readonly version: string;
  readonly rule: string;
  /** Words of the message that say where the break is. */
  readonly place: string;
  /** The issue as `owner/name#1`. */
  readonly issue: string;
}

const createCopilotIssue = (version: string, rule: string, place: string, number: number): KnownIssue => ({
  package: "@github/copilot",
  version,
  rule,
  place,
  issue: `github/copilot-cli#${number}`,
});

export const ISSUES: readonly KnownIssue[] = [
  // "strict schema validation rejects older session.compaction_complete events": three fields of the event got other names.
  createCopilotIssue("1.0.48", "field-renamed", 'session.compaction_complete: the field "input"', 2899),
  createCopilotIssue("1.0.48", "field-renamed", 'session.compaction_complete: the field "output"', 2899),
  createCopilotIssue("1.0.48", "field-renamed", 'session.compaction_complete: the field "cachedInput"', 2899),
  // "negative tokensRemoved (schema requires >= 0)": events that an earlier version wrote cannot be read.
  createCopilotIssue("1.0.54", "bound-tightened", "session.compaction_complete: /data/tokensRemoved:", 3598),
];
