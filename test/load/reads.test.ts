/** If this fails, a schema can make accrete read files outside of the schemas folder or use the network. */
import { realpathSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { loadSchemas } from "../../generator/load/load.js";
import { withTemporaryFolder } from "../folders.js";
import { readLintCases, writeCase } from "./case-folder.js";

const touched = vi.hoisted((): string[] => []);

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const recordCalls = <A extends unknown[], R>(call: (...args: A) => R) =>
    ((...args: A) => {
      touched.push(String(args[0]));
      return call(...args);
    }) as never;
  return { ...fs, readFileSync: recordCalls(fs.readFileSync), readdirSync: recordCalls(fs.readdirSync) };
});

it("reads nothing outside of the schemas folder and opens no connection", async () => {
  const connect = vi.spyOn(net.Socket.prototype, "connect");
  const fetched = vi.spyOn(globalThis, "fetch");
  const escaped: string[] = [];
  for (const [name, folder] of readLintCases())
    await withTemporaryFolder(async (temporary) => {
      const schemas = writeCase(temporary, folder);
      touched.length = 0;
      await loadSchemas(schemas);
      expect(touched).not.toEqual([]);
      const root = realpathSync(schemas);
      const outside = touched
        .map((file) => realpathSync(file))
        .filter((file) => !`${file}${path.sep}`.startsWith(root + path.sep));
      escaped.push(...outside.map((file) => `${name} ${file}`));
    });
  expect(escaped).toEqual([]);
  expect(connect).not.toHaveBeenCalled();
  expect(fetched).not.toHaveBeenCalled();
});
