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

export const ISSUES: readonly KnownIssue[] = [];
