/**
 * Builds the extension for Visual Studio Code as accrete-VERSION.vsix, in the folder of the first argument, or in dist/vscode.
 * A .vsix is a zip file with the extension, a manifest and the types of its files. Equal sources give equal bytes.
 *
 *     npm run vscode
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as esbuild from "esbuild";
import { strToU8, zipSync } from "fflate";
import { collectLicences } from "./licences.mjs";

const root = path.join(import.meta.dirname, "..");
const folder = path.join(import.meta.dirname, "vscode");

/** The time of all files in the archive: zip files know none before 1980. */
const TIME = new Date(1980, 0, 1);

const CONTENT_TYPES = {
  json: "application/json",
  js: "application/javascript",
  md: "text/markdown",
  txt: "text/plain",
  vsixmanifest: "text/xml",
};

/** Returns the bytes of the extension and its name. */
export async function buildExtension() {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const manifest = { ...JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")), version };
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [path.join(folder, "client.js")],
    ...{ bundle: true, minify: true, platform: "node", format: "cjs", target: "node20" },
    ...{ external: ["vscode"], write: false, metafile: true, absWorkingDir: root, logLevel: "warning" },
  });
  const files = {
    "extension.vsixmanifest": createManifest(manifest),
    "[Content_Types].xml": createContentTypes(),
    "extension/package.json": `${JSON.stringify(manifest, undefined, 2)}\n`,
    "extension/client.js": outputFiles[0].text,
    "extension/README.md": readFileSync(path.join(folder, "README.md"), "utf8"),
    "extension/LICENSE.txt": readFileSync(path.join(root, "LICENSE"), "utf8"),
    "extension/LICENSES.txt": collectLicences(
      Object.keys(metafile.inputs).map((input) => path.join(root, input)),
    ),
  };
  const entries = Object.entries(files).map(([name, text]) => [name, [strToU8(text), { mtime: TIME }]]);
  return { name: `accrete-${version}.vsix`, bytes: zipSync(Object.fromEntries(entries), { level: 9 }) };
}

function createManifest({ name, displayName, description, version, publisher, categories, engines }) {
  const properties = { "Code.Engine": engines.vscode, "Code.ExtensionKind": "workspace" };
  const assets = {
    "Code.Manifest": "package.json",
    "Content.Details": "README.md",
    "Content.License": "LICENSE.txt",
  };
  const list = (values, format) => Object.entries(values).map(format).join("\n    ");
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${displayName}</DisplayName>
    <Description xml:space="preserve">${description}</Description>
    <Categories>${categories.join(",")}</Categories>
    <License>extension/LICENSE.txt</License>
    <Properties>
    ${list(properties, ([id, value]) => `  <Property Id="Microsoft.VisualStudio.${id}" Value="${value}"/>`)}
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    ${list(
      assets,
      ([id, file]) =>
        `<Asset Type="Microsoft.VisualStudio.${id.startsWith("Code") ? id : `Services.${id}`}" Path="extension/${file}" Addressable="true"/>`,
    )}
  </Assets>
</PackageManifest>
`;
}

function createContentTypes() {
  const types = Object.entries(CONTENT_TYPES)
    .map(([extension, type]) => `<Default Extension=".${extension}" ContentType="${type}"/>`)
    .join("");
  return `<?xml version="1.0" encoding="utf-8"?>\n<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types}</Types>\n`;
}

if (process.argv[1] === import.meta.filename) {
  const out = path.resolve(root, process.argv[2] ?? "dist/vscode");
  const { name, bytes } = await buildExtension();
  mkdirSync(out, { recursive: true });
  writeFileSync(path.join(out, name), bytes);
  console.log(`${path.relative(root, path.join(out, name))}: ${bytes.length} bytes`);
}
