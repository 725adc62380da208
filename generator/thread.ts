import { Worker } from "node:worker_threads";

/**
 * Starts a thread that runs the module `name`. The module is in the folder of the module with the URL `from`. If `from` is
 * TypeScript, the thread loads tsx first.
 */
export function startThread(name: string, from: string, workerData?: unknown): Worker {
  if (!from.endsWith(".ts")) return new Worker(new URL(`${name}.js`, from), { workerData });
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const file = JSON.stringify(new URL(`${name}.ts`, from).href);
  const script = `import(${tsx}).then(({ register }) => (register(), import(${file})));`;
  return new Worker(script, { workerData, eval: true, execArgv: [] });
}
