import { Worker } from "node:worker_threads";

/**
 * Starts a thread that runs the module `name`, a neighbour of the module `from` (its import.meta.url). Where `from` is
 * not compiled, the thread loads tsx first, which reads TypeScript.
 */
export function startThread(name: string, from: string, workerData?: unknown): Worker {
  if (!from.endsWith(".ts")) return new Worker(new URL(`${name}.js`, from), { workerData });
  const [tsx, file] = [import.meta.resolve("tsx/esm/api"), new URL(`${name}.ts`, from).href].map((url) =>
    JSON.stringify(url),
  );
  const start = `import(${tsx}).then(({ register }) => (register(), import(${file})));`;
  return new Worker(start, { workerData, eval: true, execArgv: [] });
}
