/** Compares `accrete rollout` on random fleets with trying all events and all orders. */
import { createRandom, type Random } from "../../generator/random.js";
import { FleetJudge, type FleetParts } from "./judge-fleets.js";
import { runFleet } from "./run-fleet.js";
import { FORMS, type SmallContract, type SmallFields } from "./small-contracts.js";

const VERSIONS = ["1", "2", "3"];

function makeFields(random: Random): SmallFields {
  return {
    how: random.pick([["card"], ["card", "cash"], ["card", "cash", "voucher"]]),
    most: random.pick([5, 10, 10, 20]),
    note: random.pick(["none", "none", "optional", "required"]),
  };
}

function makeContract(random: Random): SmallContract {
  const second = random.chance(0.4) ? { b: makeFields(random) } : {};
  return { a: makeFields(random), ...second };
}

/** Returns versions in any order, in which one may come again. */
function makeVersions(random: Random): string[] {
  const versions = [random.pick(VERSIONS)];
  const count = 1 + random.below(3);
  while (versions.length < count) {
    const next = random.pick(VERSIONS);
    if (next !== versions.at(-1)) versions.push(next);
  }
  return versions;
}

function makeFleet(random: Random): FleetParts {
  const repeat = <T>(role: string, make: () => T): { [name: string]: T } =>
    Object.fromEntries(
      Array.from({ length: 1 + random.below(2) }, (_, index) => [`${role}${index}`, make()]),
    );
  const writers = repeat("w", () => makeVersions(random));
  const readers = repeat("r", () =>
    makeVersions(random).map((version) => (random.chance(0.35) ? { version, strict: true } : version)),
  );
  const holds = random.pick([["1"], ["2"], ["1", "3"]]);
  return {
    writers,
    readers,
    ...(random.chance(0.3) && { archives: { log: { holds, readers: [random.pick(Object.keys(readers))] } } }),
  };
}

/** Decides a random fleet in both ways, with files in an empty folder. Throws if they differ, or if a refused event is not one. */
export async function proveRandomFleet(seed: number, folder: string): Promise<"safe" | "unsafe"> {
  const random = createRandom(seed);
  // Versions differ little, as those of a real contract do.
  const first = makeContract(random);
  const contracts = Object.fromEntries(
    VERSIONS.map((name, index) => [name, index === 0 || random.chance(0.2) ? first : makeContract(random)]),
  );
  const parts = makeFleet(random);
  const forms = new Map(VERSIONS.map((name) => [name, random.pick(FORMS)]));
  const judge = new FleetJudge(contracts);
  const { safe, steps, readings } = await runFleet(
    folder,
    contracts,
    parts,
    (name) => forms.get(name) ?? "schema",
  );
  const fail = (message: string): never => {
    throw new Error(`seed ${seed}: ${message}: ${JSON.stringify({ contracts, parts, forms: [...forms] })}`);
  };
  for (const { writer, reader, refused } of readings) {
    const [version = "", ...rest] = reader.split(" ");
    const read = { version, strict: rest.includes("strict") };
    if (judge.canRead(writer, read) !== (refused.length === 0))
      fail(`readers ${reader} and events of ${writer}`);
    for (const { witness, reason } of refused)
      if (witness === undefined || !judge.isRefused(witness, writer, read))
        fail(`readers ${reader} accept ${JSON.stringify(witness ?? reason)} of ${writer}`);
  }
  if (judge.hasSafeOrder(parts) !== safe) fail(safe ? "there is no safe order" : "there is a safe order");
  if (safe && !judge.isSafeOrder(parts, steps)) fail(`the order is not safe: ${steps.join(", ")}`);
  return safe ? "safe" : "unsafe";
}
