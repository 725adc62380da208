/** The rows that store the events of a protocol: the member `rows` of protocol.json. */
import type { JsonObject } from "../json.js";

/** The rows of a log, each of which holds one event. */
export interface Rows {
  /** Envelope fields by the columns that hold them. Other columns are not public. */
  readonly columns: { readonly [column: string]: string };
  /** The column with the payload. */
  readonly payload: string;
  /** Members of the payload that no public event has. */
  readonly stripped?: readonly string[];
  /** Envelope fields with the same value in every event. */
  readonly values?: JsonObject;
  /** The resource that describes one row. Without it, only the events of rows are checked. */
  readonly resource?: string;
  /** The form of the ids that are made from rows; absent if a column holds the id, or if events have none. */
  readonly id?: RowId;
}

/** An id that is this prefix and a ULID. The ULID is made from the time, the stream and the number of the row. */
interface RowId {
  readonly prefix: string;
}
