/** The packages that modules of accrete load on demand. In a bundle they are always there. */
import * as ajv2020 from "ajv/dist/2020.js";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json";
import * as formats from "ajv-formats/dist/formats.js";
import * as jsonc from "jsonc-parser";
import * as crypto from "./crypto.js";

const PACKAGES = {
  "ajv/dist/2020.js": ajv2020,
  "ajv/dist/refs/json-schema-draft-06.json": draft6,
  "ajv-formats/dist/formats.js": formats,
  "jsonc-parser": jsonc,
  "node:crypto": crypto,
};

export function createRequire() {
  return (name) => {
    if (!Object.hasOwn(PACKAGES, name)) throw new Error(`The playground does not contain ${name}.`);
    return PACKAGES[name];
  };
}
