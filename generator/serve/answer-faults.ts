/** Faults of whole answers. What is remembered is one count for each path and fault. */
import { type FaultPlan, optionOf, settingsOf } from "./fault.js";

/** Decides about each request for events. */
export interface AnswerFaults {
  /** The status that the request fails with, or undefined if it is answered. `resumed`: a stream with a cursor. */
  status(path: string, key: string | undefined, resumed: boolean): number | undefined;
}

const STATUS: { readonly [fault: string]: number } = { "http-500": 500, "http-204": 204 };

/** The faults of a plan. Each fails `times` requests in turn, then lets one pass, and so on for the next client. */
export function answerFaults(plan: FaultPlan): AnswerFaults {
  const counts = new Map<string, number>();
  return {
    status: (path, key, resumed) => {
      for (const setting of settingsOf(plan, "answer", key)) {
        if (setting.fault === "http-204" && !resumed) continue;
        const name = `${setting.fault} ${path}`;
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        if (count % (optionOf(setting, "times") + 1) < optionOf(setting, "times"))
          return STATUS[setting.fault];
      }
      return undefined;
    },
  };
}
