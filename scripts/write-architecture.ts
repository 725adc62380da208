/**
 * Updates the picture of the imports and the sizes of the dependencies in docs/architecture.md, and the table of packages
 * in README.md. Prints figures about the sources: files and lines of each component, small files with one importer,
 * lengths of functions, unused exports.
 *
 *     npm run packages && tsx scripts/write-architecture.ts
 */
import { readFileSync, writeFileSync } from "node:fs";
import { formatDependencyTable } from "./architecture/dependencies.js";
import { formatFigures, measureSources } from "./architecture/figures.js";
import { formatImportPicture } from "./architecture/import-picture.js";
import { formatPackageTable } from "./architecture/packages.js";
import { replacePart } from "./architecture/page-part.js";
import { readSources } from "./architecture/sources.js";

const FILE = "docs/architecture.md";
const README = "README.md";
const sources = readSources();
const page = replacePart(readFileSync(FILE, "utf8"), "imports", formatImportPicture(sources));
writeFileSync(FILE, replacePart(page, "dependencies", formatDependencyTable(sources)));
const readme = readFileSync(README, "utf8");
writeFileSync(README, replacePart(readme, "packages", formatPackageTable("dist/packages")));
console.log(formatFigures(measureSources(sources)));
