/**
 * Updates the picture of the imports and the sizes of an installation in docs/architecture.md. Prints figures about the
 * sources: files and lines of each component, small files with one importer, lengths of functions, unused exports.
 *
 *     npm run build && tsx scripts/write-architecture.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { formatDependencyTable } from "./architecture/dependencies.js";
import { formatFigures, measureSources } from "./architecture/figures.js";
import { formatImportPicture } from "./architecture/import-picture.js";
import { replacePart } from "./architecture/page-part.js";
import { readSources } from "./architecture/sources.js";

const FILE = "docs/architecture.md";
const sources = readSources();
const page = replacePart(readFileSync(FILE, "utf8"), "imports", formatImportPicture(sources));
writeFileSync(FILE, replacePart(page, "dependencies", formatDependencyTable(sources)));
console.log(formatFigures(measureSources(sources)));
