/** Builds the consumers in Go: the one of the documentation, and those with planted bugs. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { emitGo } from "../../generator/emit/go/go.js";
import { writeOutputs } from "../emit/emit-all.js";
import { PROTOCOLS } from "../emit/fixtures.js";
import { writeFiles } from "../folders.js";
import { addIngest, removeReducerHooks } from "./adapter-hooks.js";

const EXAMPLE = "docs/examples/go";
const CONSUMERS = path.join(import.meta.dirname, "go");

/** Builds all consumers in one module below `folder`. Returns the paths of their programs. */
export function buildGoConsumers(folder: string) {
  const protocols = PROTOCOLS.filter(({ id }) => id === "hecate/v1");
  writeOutputs(
    path.join(folder, "generated"),
    protocols.flatMap((each) => emitGo(each)),
  );
  const adapter = addIngest(readFileSync(path.join(EXAMPLE, "adapter.go"), "utf8"), "go");
  const parser = readFileSync(path.join(CONSUMERS, "sse.go"), "utf8");
  const read = (design: string): string => readFileSync(path.join(CONSUMERS, design, "timeline.go"), "utf8");
  writeFiles(folder, {
    "go.mod": readFileSync(path.join(EXAMPLE, "go.mod"), "utf8"),
    "reducer/adapter.go": adapter,
    "reducer/timeline.go": read("reducer"),
    "reducer/sse.go": parser,
    "rebuilder/adapter.go": removeReducerHooks(adapter),
    "rebuilder/timeline.go": read("rebuilder"),
    "rebuilder/sse.go": parser,
  });
  cpSync(EXAMPLE, path.join(folder, "example"), {
    recursive: true,
    filter: (file) => !file.endsWith("go.mod"),
  });
  const { error, status, stderr } = spawnSync("go", ["build", "-o", "programs/", "./..."], {
    cwd: folder,
    env: { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GOWORK: "off", GOTOOLCHAIN: "local" },
    encoding: "utf8",
  });
  if (error !== undefined || status !== 0) throw error ?? new Error(stderr);
  const find = (name: string): string => path.join(folder, "programs", name);
  return { example: find("example"), reducer: find("reducer"), rebuilder: find("rebuilder") };
}
