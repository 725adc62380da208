/** If this fails, an audit misses a kind of fault in an archive that is spread over files, or reports faults that are not there. */
import { expect, it } from "vitest";
import {
  ARCHIVE_FAULTS,
  compareWithFaults,
  writeFaultyArchive,
} from "../../scripts/corpus/faulty-archive.js";
import { createTemporaryFolder } from "../folders.js";
import { reportFindings } from "./archive.js";

it("finds planted faults of every kind, and invents none", async () => {
  const folder = createTemporaryFolder();
  const { faults } = writeFaultyArchive({ folder, events: 20_000, files: 7, seed: 5, runsPerFault: 2 });
  const findings = await reportFindings("audit", folder, "--protocol", "hecate/v1");
  const { kinds, missed, invented } = compareWithFaults(
    faults,
    findings as Parameters<typeof compareWithFaults>[1],
  );
  expect(missed).toEqual([]);
  expect(invented).toEqual([]);
  expect(Object.keys(kinds).sort()).toEqual(Object.keys(ARCHIVE_FAULTS).sort());
});
