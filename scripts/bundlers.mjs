/** Bundles a module with the bundlers that frontends use, each minified. */
import { createRequire } from "node:module";
import { rollup } from "@rollup/wasm-node";
import * as esbuild from "esbuild";
import { build as buildWithVite } from "vite";

/** The bundlers by name. Each takes the path of a module and returns the code of its bundle. */
export const BUNDLERS = {
  esbuild: async (entry) => {
    const options = { bundle: true, minify: true, format: "esm", target: "es2022", write: false };
    const { outputFiles } = await esbuild.build({ entryPoints: [entry], ...options });
    return outputFiles[0].text;
  },
  // Rollup itself does not minify.
  rollup: async (entry) => {
    const { resolve } = createRequire(entry);
    const plugin = { name: "resolve-package", resolveId: (id) => (/^\w/.test(id) ? resolve(id) : null) };
    const bundle = await rollup({ input: entry, plugins: [plugin] });
    const { output } = await bundle.generate({ format: "es" });
    const options = { minify: true, format: "esm", target: "es2022" };
    return (await esbuild.transform(output[0].code, options)).code;
  },
  vite: async (entry) => {
    const { output } = await buildWithVite({
      configFile: false,
      logLevel: "silent",
      build: {
        write: false,
        target: "es2022",
        modulePreload: false,
        rollupOptions: { input: entry, preserveEntrySignatures: "strict" },
      },
    });
    return output[0].code;
  },
};
