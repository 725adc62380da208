import type { Law } from "../law.js";
import { apartLaws } from "./apart.js";
import { basicLaws } from "./basic.js";
import { costLaws } from "./cost.js";
import { deliveryLaws } from "./delivery.js";
import { gapLaws } from "./gaps.js";
import { idLaws } from "./ids.js";
import { runLaws } from "./runs.js";
import { textLaws } from "./text.js";
import { unknownLaws } from "./unknown.js";
import { versionLaws } from "./versions.js";
import { wireLaws } from "./wire.js";

/** Every law, in the order in which they are run. */
export const LAWS: readonly Law[] = [
  ...[basicLaws, unknownLaws, deliveryLaws, gapLaws, apartLaws, runLaws, idLaws].flat(),
  ...[textLaws, costLaws, wireLaws, versionLaws].flat(),
];
