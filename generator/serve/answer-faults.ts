import { type FaultPlan, optionOf, settingsOf } from "./fault.js";

/** The faults of whole answers. */
export interface AnswerFaults {
  /** Returns the status with which a request fails; undefined if it is answered. `resumed`: it asks for a stream with a cursor. */
  status(path: string, key: string | undefined, resumed: boolean): number | undefined;
}

const STATUS: { readonly [fault: string]: number } = { "http-500": 500, "http-204": 204 };

/** Returns the answer faults of a plan. Each fails `times` successive requests of a path and lets the next one pass. */
export function createAnswerFaults(plan: FaultPlan): AnswerFaults {
  const counts = new Map<string, number>();
  return {
    status(path, key, resumed) {
      for (const setting of settingsOf(plan, "answer", key)) {
        if (setting.fault === "http-204" && !resumed) continue;
        const name = `${setting.fault} ${path}`;
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        const times = optionOf(setting, "times");
        if (count % (times + 1) < times) return STATUS[setting.fault];
      }
      return undefined;
    },
  };
}
