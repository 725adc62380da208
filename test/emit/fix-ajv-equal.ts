import { createRequire } from "node:module";
import { equal } from "../../generator/runtime/runtime.js";

// Ajv's own equality fails on objects with a member called toString, valueOf or constructor.
const equalModule = createRequire(import.meta.url)("ajv/dist/runtime/equal");
equalModule.default = Object.assign(equal, { code: equalModule.default.code });
