import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadSchemas } from "../../generator/load/load.js";
import type { Placement, Protocol } from "../../generator/model/protocol.js";
import { HOSTILE_PAYLOADS, HOSTILE_TYPES, type HostilePayload } from "../cases/emit/hostile.js";
import { type Folder, PLACEMENTS, writeFolder } from "./hostile-folder.js";

type Case = readonly [type: string, payload: HostilePayload];

/** Protocols of every hostile payload and event type, each under every placement. */
export function hostileProtocols(): readonly Protocol[] {
  const root = mkdtempSync(path.join(tmpdir(), "accrete-hostile-"));
  for (const folder of folders()) writeFolder(root, folder);
  const { protocols } = loadSchemas(root);
  rmSync(root, { recursive: true });
  return protocols;
}

function folders(): Folder[] {
  const all = [...HOSTILE_PAYLOADS];
  const alone = all.filter(([what]) => what.startsWith("definition"));
  const together = all.filter((one) => !alone.includes(one)).map(([, one], i): Case => [`case.n${i}`, one]);
  const plain = HOSTILE_PAYLOADS.get("nullable");
  const types = plain ? HOSTILE_TYPES.map((type): Case => [type, plain]) : [];
  return [
    ...PLACEMENTS.flatMap((placement) => [
      folder(`all-${placement}`, placement, together),
      folder(`types-${placement}`, placement, types),
    ]),
    ...alone.map(([, one], i) => folder(`alone-${i}`, PLACEMENTS[i % 3] ?? "nested", [["x.y", one]])),
  ];
}

function folder(name: string, placement: Placement, cases: readonly Case[]): Folder {
  const events = Object.fromEntries(cases.map(([type, { payload }]) => [type, payload]));
  return { name, placement, events, $defs: Object.assign({}, ...cases.map(([, one]) => one.$defs ?? {})) };
}
