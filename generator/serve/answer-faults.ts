import { type FaultPlan, readOption, selectSettings } from "./fault.js";

/**
 * Returns the status with which a request fails; undefined if it is answered. `isResumed` is true if it asks for a stream
 * after a cursor.
 */
export type AnswerFaults = (path: string, key: string | undefined, isResumed: boolean) => number | undefined;

const STATUS: { readonly [fault: string]: number } = { "http-500": 500, "http-204": 204 };

/** Creates the faults of whole answers. Each fails `times` successive requests of a path and lets the next one pass. */
export function createAnswerFaults(plan: FaultPlan): AnswerFaults {
  const counts = new Map<string, number>();
  return (path, key, isResumed) => {
    for (const setting of selectSettings(plan, "answer", key)) {
      if (setting.fault === "http-204" && !isResumed) continue;
      const name = `${setting.fault} ${path}`;
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      const times = readOption(setting, "times");
      if (count % (times + 1) < times) return STATUS[setting.fault];
    }
    return undefined;
  };
}
