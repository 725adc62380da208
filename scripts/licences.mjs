/** Collects the licences of packages, which every copy of their code has to contain. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Returns the licences of the packages of these modules. */
export function collectLicences(modules) {
  const folders = modules.flatMap(
    (id) => /^.*[\\/]?node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [],
  );
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      if (file === undefined) throw new Error(`${folder} has no licence`);
      return `${path.basename(folder)}\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
    })
    .join("\n\n");
}
