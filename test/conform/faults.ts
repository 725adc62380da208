/** The table of faults. Each row injects a fault, and names the rules that report it or the reason why none does. */
import { COMMON_FAULTS } from "./faults/common.js";
import { EVVA_FAULTS } from "./faults/evva.js";
import { EVVA, type Fault, FRAMES, HECATE } from "./faults/fault.js";
import { ALIAS_FAULT, FRAMES_FAULTS, STDIN_FAULT } from "./faults/frames.js";
import { HECATE_FAULTS } from "./faults/hecate.js";

/** All faults, each with the protocols whose streams it fits. */
export const FAULTS: readonly Fault[] = [
  ...COMMON_FAULTS,
  ...HECATE_FAULTS.map((fault) => ({ ...fault, protocols: HECATE })),
  ...FRAMES_FAULTS.map((fault) => ({ ...fault, protocols: FRAMES })),
  ALIAS_FAULT,
  STDIN_FAULT,
  ...EVVA_FAULTS.map((fault) => ({ ...fault, protocols: EVVA })),
];
