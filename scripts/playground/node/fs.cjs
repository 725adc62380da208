/**
 * The only files that modules of accrete read when they start: its own schemas. Here an import writes protocol.json, so it is
 * not checked against its schema.
 */
const SCHEMAS = {
  "config.schema.json": require("../../../generator/load/config.schema.json"),
  "protocol.schema.json": {},
};

module.exports = Object.assign(require("./absent.cjs")("node:fs"), {
  readFileSync(file) {
    const schema = SCHEMAS[String(file).split("/").at(-1)];
    if (schema === undefined) throw new Error(`The playground has no file ${file}.`);
    return JSON.stringify(schema);
  },
});
