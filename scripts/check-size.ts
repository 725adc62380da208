/**
 * The price of validation in a browser: bytes of one event's reader validator with the envelope, minified and gzipped
 * as a bundler leaves them, and of all of hecate's together. Fails above the limits.
 *
 *     tsx scripts/check-size.ts
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const FOLDER = "generated/hecate/v1";
const LIMIT_ONE = 2048;
const LIMIT_ALL = 12.5 * 1024;

interface Size {
  readonly name: string;
  readonly minified: number;
  readonly gzipped: number;
}

/** The size of a module that uses nothing but `exported` of reader.js. */
function sizeOf(name: string, exported: string): Size {
  const { outputFiles } = buildSync({
    stdin: { contents: `export ${exported} from "./reader.js";`, resolveDir: FOLDER },
    ...{ bundle: true, minify: true, format: "esm", target: "es2022", write: false, legalComments: "none" },
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild wrote nothing");
  return { name, minified: file.contents.length, gzipped: gzipSync(file.contents, { level: 9 }).length };
}

const validators = [
  ...readFileSync(`${FOLDER}/reader.js`, "utf8").matchAll(/^export const (validate\w+Event)\b/gm),
]
  .map(([, name = ""]) => sizeOf(name, `{ ${name} }`))
  .sort((a, b) => b.gzipped - a.gzipped || (a.name < b.name ? -1 : 1));
const parts = [sizeOf("the envelope alone", "{ validateEnvelope }"), sizeOf("all of them", "*")];

const row = ({ name, minified, gzipped }: Size): string => `| ${name} | ${minified} | ${gzipped} |`;
console.log("| reader validator, with the envelope | minified | gzipped |\n|---|---:|---:|");
for (const size of [...validators, ...parts]) console.log(row(size));

const heavy = validators.filter(({ gzipped }) => gzipped > LIMIT_ONE);
const all = parts.filter(({ name, gzipped }) => name === "all of them" && gzipped > LIMIT_ALL);
console.log(`\nLimits: ${LIMIT_ONE} bytes gzipped for one, ${LIMIT_ALL} for all.`);
if (validators.length === 0 || heavy.length + all.length > 0) {
  console.error(
    `Too large: ${[...heavy, ...all].map(({ name }) => name).join(", ") || "there are no validators"}`,
  );
  process.exitCode = 1;
}
