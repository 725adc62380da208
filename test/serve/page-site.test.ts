/** If this fails, the page loads code from elsewhere, or not at all. */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readSite } from "../../generator/serve/page-site.js";
import { loadRuns, PROTOCOLS, sendRequest, startServer } from "./start.js";

const site = await readSite(PROTOCOLS, "generated");
const text = (at: string): string => Buffer.from(site.get(at)?.body ?? []).toString("utf8");

describe("the files of the page", () => {
  it("import nothing that is not served", () => {
    const missing = [...site.keys()].flatMap((at) =>
      [...text(at).matchAll(/^(?:import|export)\b[^"';]*?from "([^"]+)"/gm)]
        .map(([, target = ""]) => path.posix.resolve(path.posix.dirname(at), target))
        .filter((target) => at.endsWith(".js") && !site.has(target)),
    );
    expect(missing).toEqual([]);
    expect(site.has("/-/serve/page/main.js")).toBe(true);
    for (const { id } of PROTOCOLS) expect(site.has(`/-/generated/${id}/index.js`)).toBe(true);
  });

  it("contain no script or style in the document, and load none from elsewhere", async () => {
    const { url } = await startServer({ runs: await loadRuns("fixtures/evva/v0/streams"), site });
    const { headers, body } = await sendRequest(url, { accept: "text/html" });
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(body.toString("utf8")).not.toMatch(/<script(?![^>]* src="\/)|<style|\son\w+=|style=|https?:/);
  });

  it("never turn text into markup", () => {
    const scripts = [...site.keys()].filter((at) => at.startsWith("/-/serve/page/") && at.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(5);
    for (const at of scripts)
      expect(text(at)).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
  });

  it("are generated from the schemas if there are no generated modules", async () => {
    const protocols = PROTOCOLS.filter(({ id }) => id === "evva/v0");
    const generated = await readSite(protocols, "no-such-folder");
    for (const name of ["index.js", "reader.js", "metadata.js", "runtime.js"]) {
      const at = `/-/generated/evva/v0/${name}`;
      expect(Buffer.from(generated.get(at)?.body ?? []).toString("utf8")).toBe(text(at));
    }
  });
});
