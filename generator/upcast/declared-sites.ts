/** Describes the values of the earlier version as declared steps leave them, because planned steps come after declared ones. */
import { joinPointer, splitPointer } from "../json.js";
import { matchesType, type UpcastStep } from "../protocol/upcast.js";
import {
  type Branch,
  collectSites,
  type Site,
  type SiteField,
  type Sites,
  type Tag,
} from "./collect-sites.js";
import type { EventPair } from "./planned-step.js";
import { findParent } from "./site-conditions.js";
import { createFollower, type Follower } from "./trace-step.js";

/** Returns the sites of the earlier version after declared steps. Each value keeps the statements about it. */
export function collectDeclaredSites(
  { from, event }: Pick<EventPair, "from" | "event">,
  steps: readonly UpcastStep[],
): Sites {
  const { discriminator } = from.envelope;
  return steps
    .filter(({ types }) => types === undefined || matchesType(types, event.type))
    .reduce(
      (sites, step) => changeSites(sites, createFollower(step, discriminator)),
      collectSites(from, event),
    );
}

function changeSites(sites: Sites, follower: Follower): Sites {
  const { follow } = follower;
  const loops = new Map<string, readonly string[]>();
  for (const [place, ways] of sites.loops)
    for (const now of follow(place)) {
      const below = ways.flatMap((way) => follow(place + way)).filter((each) => each.startsWith(`${now}/`));
      loops.set(now, [
        ...new Set([...(loops.get(now) ?? []), ...below.map((each) => each.slice(now.length))]),
      ]);
    }
  const blocked = [...sites.blocked].flatMap(([place, reason]) =>
    follow(place).map((now) => [now, reason] as const),
  );
  return {
    ...sites,
    list: sites.list.flatMap((site) => changeSite(site, follower)),
    loops,
    blocked: new Map(blocked),
  };
}

/** Returns a site after a step, and the fields that the step put at other objects. */
function changeSite(site: Site, follower: Follower): Site[] {
  const paths = follower.follow(site.path);
  const branches = site.branches.map((branch) => changeBranch(branch, follower));
  const values = site.values.flatMap((each) =>
    follower.replace(site.path, each.value).map((value) => ({ ...each, value })),
  );
  const stays = new Map<string, SiteField[]>(paths.map((path) => [path, []]));
  const leaves: Site[] = [];
  for (const field of site.fields)
    for (const place of follower.follow(joinPointer(site.path, field.name))) {
      const parent = findParent(place);
      const name = splitPointer(place).at(-1) ?? "";
      const moved = name === field.name ? field : renameField(field, name);
      const fields = stays.get(parent);
      if (fields !== undefined) fields.push(moved);
      else
        leaves.push({
          ...site,
          path: parent,
          branches,
          fields: [moved],
          values: [],
          spots: [],
          mayBeObject: true,
        });
    }
  return [...[...stays].map(([path, fields]) => ({ ...site, path, branches, fields, values })), ...leaves];
}

/** Returns a field under another name. What it stated about its old name has been carried out. */
function renameField({ isRequired, statedBy }: SiteField, name: string): SiteField {
  return { name, isRequired, deprecated: false, statedBy };
}

function changeBranch(branch: Branch, follower: Follower): Branch {
  return branch.tag === undefined ? branch : { ...branch, tag: changeTag(branch.tag, follower) };
}

function changeTag(tag: Tag, { follow, replace }: Follower): Tag {
  const place = joinPointer(tag.parent, tag.name);
  const now = follow(place).at(-1) ?? place;
  return {
    ...tag,
    parent: findParent(now),
    name: splitPointer(now).at(-1) ?? "",
    values: tag.values.flatMap((value) => replace(place, value)),
  };
}
