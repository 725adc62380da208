/** If this fails, `accrete compat --waive` writes a waiver that is refused, doubled or expired. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { setVersion } from "./project.js";
import { createHistory, createVersion, runCompat, text, waiveOnlyError } from "./tea-history.js";

describe("a waiver on the command line", () => {
  const reason = ["--reason", "Nobody reads it."];
  /** Stands for the fingerprint of the break. */
  const FINGERPRINT = "FINGERPRINT";
  const createSchemas = async () =>
    await createHistory([createVersion("1.0", { sort: text }), createVersion("1.1", {})]);
  it.each([
    ["--reason alone", reason, /--reason and --expires belong to --waive/],
    ["--expires alone", ["--expires", "1.3"], /--reason and --expires belong to --waive/],
    [
      "an end that has passed",
      ["--waive", FINGERPRINT, ...reason, "--expires", "1.1"],
      /ends with 1\.1 has expired already.* 1\.2/,
    ],
  ])("refuses %s", async (_name, args, message) => {
    const folder = await createSchemas();
    const [finding] = (await runCompat(folder)).findings;
    const before = readFileSync(path.join(folder, "tea/v1/protocol.json"), "utf8");
    const options = args.map((each) => (each === FINGERPRINT ? String(finding?.fingerprint) : each));
    const { stderr, exitCode } = await runCompat(folder, ...options);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(readFileSync(path.join(folder, "tea/v1/protocol.json"), "utf8")).toBe(before);
  });

  it("is not written twice", async () => {
    const folder = await createSchemas();
    const [waiver] = await waiveOnlyError(folder, "1.1");
    const again = await runCompat(folder, "--waive", String(waiver?.fingerprint), ...reason);
    expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/is already waived/) });
  });

  it.each(["1.0", "1.1"])("ends by default with version 1.2 if the version is %s", async (version) => {
    const folder = await createHistory([
      createVersion("1.0", { sort: text }),
      createVersion(version, { sort: { ...text, maxLength: 3 } }),
    ]);
    const [waiver] = await waiveOnlyError(folder, version);
    expect(waiver).toMatchObject({ expires: "1.2" });
    setVersion(folder, "1.1", "tea/v1");
    expect(await runCompat(folder)).toMatchObject({ exitCode: 0 });
  });
});
