/** Small contracts that are written as a bare schema, a bundle or a protocol folder, and what Ajv says about their events. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonObject } from "../../generator/json.js";
import { writeTea } from "../compat/tea.js";

/** The fields of an event type. */
export interface SmallFields {
  /** The values of the open enumeration `how`. */
  readonly how: readonly string[];
  /** The largest value of the integer `n`, which begins with 0. */
  readonly most: number;
  /** Whether there is a text `note`. */
  readonly note: "none" | "optional" | "required";
}

/** The event types of a contract. */
export interface SmallContract {
  readonly [type: string]: SmallFields;
}

/** The forms in which a contract is written. */
export const FORMS = ["schema", "bundle", "folder"] as const;

export type Form = (typeof FORMS)[number];

/** How a schema is read: as it is written, or as writers and strict readers read it. */
type Reading = "written" | "closed";

function createFields({ how, most, note }: SmallFields, reading: Reading) {
  return {
    properties: {
      how: reading === "closed" ? { enum: how } : { type: "string", "x-extensible-enum": how },
      n: { type: "integer", minimum: 0, maximum: most },
      ...(note !== "none" && { note: { type: "string" } }),
    },
    required: ["how", "n", ...(note === "required" ? ["note"] : [])],
  };
}

function createEventSchema(type: string, fields: SmallFields, reading: Reading): JsonObject {
  const { properties, required } = createFields(fields, reading);
  return {
    type: "object",
    properties: { type: { const: type }, id: { type: "string", minLength: 1 }, ...properties },
    required: ["type", "id", ...required],
    ...(reading === "closed" && { additionalProperties: false }),
  };
}

/** Writes a contract, and returns the operand that names it, relative to the folder. */
export function writeContract(folder: string, name: string, contract: SmallContract, form: Form): string {
  const events = Object.entries(contract);
  if (form === "folder") {
    const described = (fields: object): JsonObject =>
      Object.fromEntries(
        Object.entries(fields).map(([field, schema]) => [field, { description: `The ${field}.`, ...schema }]),
      );
    const files = events.map(([type, fields]): [string, JsonObject] => {
      const { properties, required } = createFields(fields, "written");
      return [`events/${type}.schema.json`, { properties: described(properties), required }];
    });
    writeTea(path.join(folder, name), {
      "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
      "envelope.schema.json": {
        properties: described({ type: { type: "string" }, id: { type: "string", minLength: 1 } }),
        required: ["type", "id"],
      },
      "events/tea.served.schema.json": null,
      ...Object.fromEntries(files),
    });
    return `${name}/tea/v1`;
  }
  const schemas = events.map(([type, fields]) => createEventSchema(type, fields, "written"));
  const references = schemas.map((_, index) => ({ $ref: `#/$defs/Event${index}` }));
  const $defs = Object.fromEntries(schemas.map((schema, index) => [`Event${index}`, schema]));
  const document = form === "schema" ? { oneOf: schemas } : { oneOf: references, $defs };
  writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(document));
  return `${name}.json`;
}

/** Every event that could tell the contracts apart. */
export const SMALL_EVENTS: readonly JsonObject[] = ["a", "b", "c"].flatMap((type) =>
  ["card", "cash", "voucher", "unheard-of"].flatMap((how) =>
    [0, 5, 6, 10, 11, 20, 21].flatMap((n) =>
      [{}, { note: "yes" }, { other: 1 }].map((more) => ({ type, id: "1", how, n, ...more })),
    ),
  ),
);

/** What Ajv says about events of a contract. */
export interface Judge {
  /** Returns whether writers may send an event. */
  isSent(event: JsonObject): boolean;
  /** Returns whether readers accept an event. Those that are not strict accept event types that they do not know. */
  isRead(event: JsonObject, isStrict: boolean): boolean;
}

/** Creates the judge of a contract. */
export function createJudge(contract: SmallContract): Judge {
  const compile = (reading: Reading): ReadonlyMap<string, ValidateFunction> => {
    const ajv = new Ajv2020({ strict: false });
    return new Map(
      Object.entries(contract).map(([type, fields]) => [
        type,
        ajv.compile(createEventSchema(type, fields, reading)),
      ]),
    );
  };
  const [written, closed] = [compile("written"), compile("closed")];
  const isSent = (event: JsonObject): boolean => closed.get(String(event.type))?.(event) === true;
  return {
    isSent,
    isRead: (event, isStrict) => {
      if (isStrict) return isSent(event);
      const check = written.get(String(event.type));
      return check === undefined || check(event) === true;
    },
  };
}
