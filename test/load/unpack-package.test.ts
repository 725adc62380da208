/** If this fails, a package of npm can write outside of its folder, or fill the disk. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unpackPackage } from "../../generator/load/baseline/unpack-package.js";
import { createTemporaryFolder } from "../folders.js";

/** Returns a member of an archive. `size` is the size that its header states. */
function createMember(name: string, content: string, type = "0", size = Buffer.byteLength(content)): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(type, 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const padding = Buffer.alloc((512 - (Buffer.byteLength(content) % 512)) % 512);
  return Buffer.concat([header, Buffer.from(content), padding]);
}

/** Returns a record of a pax header, whose length counts its own digits. */
function createRecord(text: string): string {
  const length = text.length + 2;
  return `${length + String(length + String(length).length).length} ${text}\n`;
}

function unpack(...members: readonly Buffer[]) {
  const root = createTemporaryFolder();
  const into = path.join(root, "into");
  mkdirSync(into);
  const tarball = gzipSync(Buffer.concat([...members, Buffer.alloc(1024)]));
  const limits = { files: 3, bytes: 100_000 };
  let message: string | undefined;
  try {
    unpackPackage(tarball, "tea@1", into, limits);
  } catch (error) {
    message = (error as Error).message;
  }
  return { message, files: readdirSync(root, { recursive: true }).sort(), into };
}

describe("a package", () => {
  it("is unpacked like tar does it, with long names", () => {
    const root = createTemporaryFolder();
    const long = `package/${"a".repeat(90)}/${"b".repeat(90)}/${"c".repeat(120)}.json`;
    for (const file of ["package/package.json", long]) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), `{"file":"${file.length}"}`);
    }
    for (const format of ["ustar", "gnu", "pax"]) {
      const names = format === "ustar" ? ["package/package.json"] : ["package/package.json", long];
      const tarball = execFileSync("tar", ["-cz", `--format=${format}`, ...names], { cwd: root });
      const into = createTemporaryFolder();
      unpackPackage(tarball, "tea@1", into);
      for (const name of names)
        expect(readFileSync(path.join(into, name), "utf8")).toBe(readFileSync(path.join(root, name), "utf8"));
    }
  });

  it.each([
    ["../outside", "it is above"],
    ["package/../../outside", "it leaves the folder"],
    ["/outside", "it is absolute"],
    ["package\\..\\..\\outside", "Windows reads it as another folder"],
    ["C:/outside", "Windows reads it as another disk"],
  ])("with the file %s is refused, because %s", (name) => {
    const { message, files } = unpack(createMember("package/a", "a"), createMember(name, "b"));
    expect(message).toBe(
      `The package tea@1 is not unpacked: its file ${JSON.stringify(name)} is outside of the package.`,
    );
    expect(files).toEqual(["into", "into/package", "into/package/a"]);
  });

  it("with a long name that leaves the folder is refused", () => {
    for (const type of ["x", "L"]) {
      const content = type === "x" ? createRecord("path=../outside") : "../outside\0";
      const { message } = unpack(createMember("long", content, type), createMember("package/a", "a"));
      expect(message).toContain('its file "../outside" is outside of the package');
    }
  });

  it("does not write through a link, because links are left out", () => {
    const { message, files, into } = unpack(
      createMember("package/link", "", "2"),
      createMember("package/hard", "", "1"),
      createMember("package/link/a", "a"),
    );
    expect(message).toBeUndefined();
    expect(files).toEqual(["into", "into/package", "into/package/link", "into/package/link/a"]);
    expect(existsSync(path.join(into, "package/hard"))).toBe(false);
  });

  it.each<[string, readonly Buffer[]]>([
    ["it has more than 3 files", ["a", "b", "c", "d"].map((name) => createMember(`package/${name}`, name))],
    ["it has more than 100000 bytes", [createMember("package/a", "a".repeat(200_000))]],
    ["its archive ends within a file", [createMember("package/a", "a", "0", 90_000)]],
    ["its archive is damaged", [Buffer.alloc(1024, "x")]],
    [
      'its file "package/a/b" cannot be written',
      [createMember("package/a", "a"), createMember("package/a/b", "b")],
    ],
  ])("is refused, because %s", (reason, members) => {
    expect(unpack(...members).message).toContain(`The package tea@1 is not unpacked: ${reason}`);
  });

  it("that is not compressed is refused", () => {
    expect(() => unpackPackage(Buffer.from("x"), "tea@1", createTemporaryFolder())).toThrow(
      "The package tea@1 is not unpacked: it is not compressed by gzip.",
    );
  });
});
