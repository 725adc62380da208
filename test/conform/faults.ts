/** The table of faults: how each is made, and which rule names it, or why it must be tolerated. */
import { COMMON_FAULTS } from "./faults/common.js";
import { EVVA_FAULTS } from "./faults/evva.js";
import { EVVA, type Fault, FRAMES, HECATE } from "./faults/fault.js";
import { ALIAS, FRAMES_FAULTS, STDIN } from "./faults/frames.js";
import { HECATE_FAULTS } from "./faults/hecate.js";

/** Every fault. */
export const FAULTS: readonly Fault[] = [
  ...COMMON_FAULTS,
  ...HECATE_FAULTS.map((fault) => ({ ...fault, of: HECATE })),
  ...FRAMES_FAULTS.map((fault) => ({ ...fault, of: FRAMES })),
  ALIAS,
  STDIN,
  ...EVVA_FAULTS.map((fault) => ({ ...fault, of: EVVA })),
];
