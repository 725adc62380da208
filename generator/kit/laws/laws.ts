import type { Law } from "../law.js";
import { basicLaws } from "./basic.js";
import { beginsAgainLaw } from "./begins-again.js";
import { claimLaws } from "./claims.js";
import { contentLaws } from "./content.js";
import { costLaws } from "./cost.js";
import { deliveryLaws } from "./delivery.js";
import { endLaws } from "./ends.js";
import { gapLaws } from "./gaps.js";
import { idLaws } from "./ids.js";
import { listsReplacedLaw } from "./lists.js";
import { numberLaws } from "./numbers.js";
import { orderLaws } from "./order.js";
import { parallelLaws } from "./parallel.js";
import { requirementLaws } from "./requirements.js";
import { runsApartLaw } from "./runs-apart.js";
import { startLostLaw } from "./start-lost.js";
import { textLaws } from "./text.js";
import { thingsApartLaw } from "./things-apart.js";
import { unknownLaws } from "./unknown.js";
import { valuesNearLaw } from "./values-near.js";
import { versionLaws } from "./versions.js";
import { wireLaws } from "./wire.js";

/** All laws in the order in which they are checked. */
export const LAWS: readonly Law[] = [
  ...basicLaws,
  ...unknownLaws,
  ...deliveryLaws,
  ...gapLaws,
  ...orderLaws,
  ...parallelLaws,
  runsApartLaw,
  ...endLaws,
  beginsAgainLaw,
  thingsApartLaw,
  startLostLaw,
  ...idLaws,
  valuesNearLaw,
  ...requirementLaws,
  ...textLaws,
  ...contentLaws,
  listsReplacedLaw,
  ...claimLaws,
  ...numberLaws,
  ...costLaws,
  ...wireLaws,
  ...versionLaws,
];
