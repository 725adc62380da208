/** The metaschemas of all dialects, which @hyperjump/json-schema registers and holds offline. */
import "@hyperjump/json-schema/draft-04";
import "@hyperjump/json-schema/draft-06";
import "@hyperjump/json-schema/draft-07";
import "@hyperjump/json-schema/draft-2019-09";
import "@hyperjump/json-schema/draft-2020-12";
import { getSchema, toSchema } from "@hyperjump/json-schema/experimental";
import { type Json, toJson } from "../../json.js";

/** Reads a metaschema of a known dialect, or a part of it. Rejects for any other URI. */
export async function readMetaschema(uri: string): Promise<Json> {
  return toJson(toSchema(await getSchema(uri)));
}
