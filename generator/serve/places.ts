import { type FaultSetting, optionOf } from "./fault.js";
import { drawn } from "./random.js";

/** Whether a fault happens at `place` of the run with this key: at the places of its setting, or where the seed draws it. */
export function happens(setting: FaultSetting, seed: number, key: string, place: number): boolean {
  if (setting.at) return setting.at.includes(place);
  return drawn(place, optionOf(setting, "every"), seed, setting.fault, key);
}
