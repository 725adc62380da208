/** Decides by trying all events and all orders whether a fleet has a safe order. It uses no code of the command. */
import type { JsonObject } from "../../generator/json.js";
import { createJudge, type Judge, SMALL_EVENTS, type SmallContract } from "./small-contracts.js";

/** A version of a reader. A name alone is a tolerant one. */
type ReaderVersion = string | { readonly version: string; readonly strict?: boolean };

/** A fleet as its file describes it, without the places of its contracts. */
export interface FleetParts {
  readonly writers: { readonly [name: string]: readonly string[] };
  readonly readers: { readonly [name: string]: readonly ReaderVersion[] };
  readonly archives?: {
    readonly [name: string]: { readonly holds: readonly string[]; readonly readers: readonly string[] };
  };
}

/** A judge of the fleets whose versions are these contracts. */
export class FleetJudge {
  private readonly judges: ReadonlyMap<string, Judge>;

  constructor(contracts: { readonly [name: string]: SmallContract }) {
    this.judges = new Map(Object.entries(contracts).map(([name, each]) => [name, createJudge(each)]));
  }

  /** Returns whether writers of a version may send the event, and readers refuse it. */
  isRefused(event: JsonObject, sent: string, read: ReaderVersion): boolean {
    const { version, strict = false } = typeof read === "string" ? { version: read } : read;
    const [writer, reader] = [this.judges.get(sent), this.judges.get(version)];
    return writer?.isSent(event) === true && reader?.isRead(event, strict) === false;
  }

  canRead(sent: string, read: ReaderVersion): boolean {
    return !SMALL_EVENTS.some((event) => this.isRefused(event, sent, read));
  }

  /** Returns whether all readers accept all events while the parts are at these positions. */
  isSafe({ writers, readers, archives = {} }: FleetParts, at: ReadonlyMap<string, number>): boolean {
    const written = Object.entries(writers).flatMap(([name, versions]) =>
      versions.slice(0, (at.get(`writer ${name}`) ?? 0) + 1),
    );
    const current = Object.entries(writers).flatMap(
      ([name, versions]) => versions[at.get(`writer ${name}`) ?? 0] ?? [],
    );
    return Object.entries(readers).every(([name, versions]) => {
      const opened = Object.values(archives).filter((each) => each.readers.includes(name));
      const stored = opened.length === 0 ? [] : [...written, ...opened.flatMap(({ holds }) => holds)];
      const read = versions[at.get(`reader ${name}`) ?? 0];
      return read === undefined || [...current, ...stored].every((sent) => this.canRead(sent, read));
    });
  }

  /** Returns whether one of all orders leads through safe states only. */
  hasSafeOrder(fleet: FleetParts): boolean {
    const parts = [
      ...Object.entries(fleet.writers).map(([name, versions]) => ({
        part: `writer ${name}`,
        last: versions.length - 1,
      })),
      ...Object.entries(fleet.readers).map(([name, versions]) => ({
        part: `reader ${name}`,
        last: versions.length - 1,
      })),
    ];
    const visit = (at: ReadonlyMap<string, number>): boolean => {
      if (!this.isSafe(fleet, at)) return false;
      const open = parts.filter(({ part, last }) => (at.get(part) ?? 0) < last);
      return (
        open.length === 0 || open.some(({ part }) => visit(new Map(at).set(part, (at.get(part) ?? 0) + 1)))
      );
    };
    return visit(new Map());
  }

  /** Returns whether steps lead through safe states only. */
  isSafeOrder(fleet: FleetParts, steps: readonly string[]): boolean {
    const at = new Map<string, number>();
    return [undefined, ...steps].every((part) => {
      if (part !== undefined) at.set(part, (at.get(part) ?? 0) + 1);
      return this.isSafe(fleet, at);
    });
  }
}
