/** The values that events need so that a consumer shows them, as its author names them. */
import type { Json } from "../json.js";
import { didYouMean } from "../nearest.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import type { PreferredValues } from "./event-order.js";
import { getModel, type KitProtocol } from "./kit-protocol.js";
import { type GeneratorContext, prepareContext } from "./scenarios.js";
import { makeScene } from "./scene.js";

/**
 * Returns the context of the events that writers send, with the values that events need to be shown, such as
 * "tool.invoked/tool_name=bash". Throws a TypeError if the protocol has no such field, or the field no such value.
 */
export function prepareShownContext(
  protocol: KitProtocol,
  only: readonly string[] | undefined,
): GeneratorContext {
  const context = prepareContext(protocol, protocol.schemas, "writer");
  if (only === undefined) return context;
  if (!Array.isArray(only)) throw new TypeError("`only` has to be a list of values.");
  return { ...context, only: only.map((text) => readNeededValue(protocol, context, text)) };
}

function readNeededValue(protocol: KitProtocol, context: GeneratorContext, text: string): PreferredValues {
  const at = String(text).indexOf("=");
  const name = at === -1 ? String(text) : text.slice(0, at);
  const fields = listPayloadFields(getModel(protocol));
  const found = fields.find(({ type, field }) => `${type}/${field}` === name);
  if (found === undefined || at === -1) {
    const known = fields.map(({ type, field }) => `${type}/${field}`);
    const reason =
      found === undefined
        ? `which ${protocol.id} does not have${didYouMean(name, known)}`
        : "without a value.";
    throw new TypeError(
      `\`only\` lists ${JSON.stringify(name)}, ${reason} It lists values such as "type/field=value".`,
    );
  }
  const { type, field, merged } = found;
  const isText = merged.types === undefined || merged.types.includes("string");
  const value = isText ? text.slice(at + 1) : readJson(text.slice(at + 1));
  if (value === undefined || makeScene(context, [{ type, fixedFields: { [field]: value } }]) === undefined)
    throw new TypeError(`\`only\` lists ${JSON.stringify(text)}, but no ${type} has this value.`);
  return { type, field, values: [value], isNeeded: true };
}

function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
