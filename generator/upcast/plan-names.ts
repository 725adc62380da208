/**
 * Plans the steps for declared renames and replacements of the fields and values of one event type. A statement that cannot be
 * carried out at all its places is a gap.
 */
import { joinPointer, splitPointer } from "../json.js";
import type { EventType, Protocol, Tombstone } from "../protocol/protocol.js";
import {
  EVERY_DEPTH,
  findSelectedPlace,
  isSelector,
  listPlaces,
  type UpcastStep,
} from "../protocol/upcast.js";
import { collectSites, type Site, type SiteField, type Sites, type Tag } from "./collect-sites.js";
import { findMemberRenames, orderRenames } from "./member-renames.js";
import { findPayloadPath } from "./payload-path.js";
import { findReplacement, type Replacement } from "./replacements.js";
import {
  areCompatible,
  areExclusive,
  belongsTo,
  type Condition,
  convertOldTag,
  dropDepths,
  listConditions,
} from "./site-conditions.js";

/** A step, and the statement of the contracts from which it follows. */
export interface PlannedStep {
  readonly step: UpcastStep;
  readonly reason: string;
}

/** A statement that the plan does not carry out everywhere. */
export interface Gap {
  /** The event type; "" for a statement about all of them. */
  readonly type: string;
  readonly place: string;
  readonly statement: string;
  readonly reason: string;
}

/** An event type of the earlier version, and the one that its events get. */
export interface EventPair {
  readonly from: Protocol;
  readonly to: Protocol;
  readonly event: EventType;
  readonly target: EventType;
}

/** The steps for the names of one event type. */
export interface NamePlan {
  readonly steps: readonly PlannedStep[];
  readonly gaps: readonly Gap[];
  /** Schemas that state a former name, and that the plan has considered. */
  readonly considered: ReadonlySet<object>;
  /** The tombstones that are about a field or a value of the event type. */
  readonly matched: ReadonlySet<Tombstone>;
}

/** A rename or a replacement of a field. */
interface FieldRename {
  readonly old: SiteField;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  /** The sites that declare it: of the later version for a rename, of the earlier one for a replacement. */
  readonly declaredBy: readonly Site[];
  readonly isReplacement: boolean;
}

/** A rename with the conditions under which it holds; one step for each. */
interface ConditionalRename extends FieldRename {
  readonly conditions: readonly (readonly Condition[])[];
}

/** A move of a field to another object. */
interface FarMove {
  readonly site: Site;
  readonly field: SiteField;
  readonly to: string;
  readonly reason: string;
}

/** Plans the steps for declared renames and replacements of fields and values. */
export function planNames(pair: EventPair): NamePlan {
  const planner = new NamePlanner(pair);
  planner.run();
  return planner;
}

/** A place of the earlier version, and the sites of the later version for which it holds; all of them by default. */
interface OldPlace {
  readonly path: string | undefined;
  readonly sites?: readonly Site[];
}

class NamePlanner implements NamePlan {
  readonly steps: PlannedStep[] = [];
  readonly gaps: Gap[] = [];
  readonly considered = new Set<object>();
  readonly matched = new Set<Tombstone>();
  private readonly before: Sites;
  private readonly after: Sites;
  /**
   * Places of the earlier version by those of the later one, as far as objects were renamed. The path is undefined for an object
   * that the earlier version has under no name.
   */
  private readonly oldPaths = new Map<string, OldPlace[]>();
  /** Fields of the earlier version that have a new name. */
  private readonly handled = new Map<Site, Set<string>>();
  /** The moves so far, with the conditions of each. */
  private readonly moves: {
    readonly from: string;
    readonly to: string;
    readonly conditions: readonly Condition[];
  }[] = [];

  constructor(private readonly pair: EventPair) {
    const { from, to, event, target } = pair;
    this.before = collectSites(from, event);
    this.after = collectSites(to, target);
    this.addOldPlace(findPayloadPath(to, target), { path: findPayloadPath(from, event) });
  }

  private addOldPlace(path: string, place: OldPlace): void {
    this.oldPaths.set(path, [...(this.oldPaths.get(path) ?? []), place]);
  }

  run(): void {
    const farMoves = this.findFarMoves();
    for (const { site, field, to } of farMoves)
      if (!this.oldPaths.has(to))
        this.addOldPlace(to, { path: joinPointer(dropDepths(site.path), field.name) });
    const paths = new Set([...this.after.list.map(({ path }) => dropDepths(path)), ...this.listOldGroups()]);
    const sorted = [...paths].sort((a, b) => countTokens(a) - countTokens(b));
    // The names of an object change before those in its members.
    for (const path of sorted) {
      this.planObject(path, farMoves);
      for (const move of farMoves) if (findParent(move.to) === path) this.planFarMove(move);
    }
    this.planValues();
  }

  /** Returns the places of the later version that objects of the earlier version have without any statement. */
  private listOldGroups(): string[] {
    return this.before.list.map((site) => this.findNewPath(site));
  }

  /** Returns the place of the later version of a site of the earlier one, as far as renamed objects tell. */
  private findNewPath(site: Site): string {
    const old = dropDepths(site.path);
    const conditions = listOldConditions(site);
    let [best, length] = [old, -1];
    for (const [now, places] of this.oldPaths)
      for (const { path: was, sites } of places)
        if (
          was !== undefined &&
          `${old}/`.startsWith(`${was}/`) &&
          was.length > length &&
          (was !== "" || site.owner !== "") &&
          (sites?.some((each) => areCompatible(conditions, this.listNewConditions(each))) ?? true)
        )
          [best, length] = [now + old.slice(was.length), was.length];
    return best;
  }

  /** Returns the place of the earlier version for one of the later version in a site; undefined if there is none. */
  private findOldPath(path: string, site: Pick<Site, "branches">): string | undefined {
    const known = this.oldPaths
      .get(path)
      ?.find(({ sites }) => sites?.some((each) => belongsTo(site, each)) ?? true);
    if (known !== undefined) return known.path;
    if (path === "") return path;
    const slash = path.lastIndexOf("/");
    const parent = this.findOldPath(path.slice(0, slash), site);
    return parent === undefined ? undefined : parent + path.slice(slash);
  }

  /** Returns whether a value of the earlier version may become one of the later version, as far as declared names tell. */
  private areLinked(old: Site, now: Site): boolean {
    return (
      this.findOldPath(dropDepths(now.path), now) === dropDepths(old.path) &&
      areCompatible(listOldConditions(old), this.listNewConditions(now))
    );
  }

  private listOldSites(path: string): Site[] {
    return this.before.list.filter((site) => dropDepths(site.path) === path);
  }

  private listNewSites(path: string): Site[] {
    return this.after.list.filter((site) => dropDepths(site.path) === path);
  }

  /** Plans the renames of the fields of an object. */
  private planObject(path: string, farMoves: readonly FarMove[]): void {
    const news = this.listNewSites(path);
    const oldPaths = new Set(news.map((site) => this.findOldPath(path, site)));
    const olds = this.before.list.filter(
      (site) => oldPaths.has(dropDepths(site.path)) || this.findNewPath(site) === path,
    );
    for (const { fields } of news)
      for (const { statedBy } of fields) for (const schema of statedBy) this.considered.add(schema);
    for (const site of news) this.findLostContainers(path, site);
    const renames = this.collectRenames(path, olds, news);
    const far = farMoves.filter(({ site }) => olds.includes(site));
    const isFar = (rename: FieldRename) => far.some(({ field }) => field.name === rename.to);
    const displaced = renames.some(isFar)
      ? far.map(
          ({ site, field, reason }): FieldRename => ({
            old: field,
            from: field.name,
            to: this.findFreeName(field.name, olds, news),
            reason,
            declaredBy: [site],
            isReplacement: true,
          }),
        )
      : [];
    const conditional = [...renames, ...displaced].flatMap((rename): ConditionalRename[] => {
      const conditions = this.decideConditions(rename, olds, news);
      if (conditions !== undefined) return [{ ...rename, conditions }];
      this.addGap(path, rename, "no field that each branch has with another value tells the branches apart.");
      return [];
    });
    for (const first of conditional)
      for (const second of conditional.slice(conditional.indexOf(first) + 1))
        if (first.from === second.from && first.to !== second.to && !this.isExclusive(first, second))
          this.addGap(path, second, `names ${second.from}, which has another new name.`);
    const accepted = conditional.filter(
      (rename) =>
        !conditional.some(
          (other) =>
            conditional.indexOf(other) < conditional.indexOf(rename) &&
            other.from === rename.from &&
            other.to !== rename.to &&
            !this.isExclusive(other, rename),
        ),
    );
    this.recordNewPlaces(path, accepted, olds, news);
    const isTaken = (name: string): boolean =>
      [...olds, ...news].some(({ fields }) => fields.some((field) => field.name === name));
    for (const rename of orderRenames(accepted, isTaken))
      for (const conditions of rename.conditions) {
        const step = createMove(
          joinPointer(path, rename.from),
          joinPointer(path, rename.to),
          this.isAlias(rename, olds, accepted),
        );
        this.addMove(step, { olds, conditions, path, rename });
      }
    for (const rename of accepted)
      for (const old of olds)
        if (old.fields.some(({ name }) => name === rename.old.name)) this.markHandled(old, rename.old.name);
  }

  private findFreeName(name: string, olds: readonly Site[], news: readonly Site[]): string {
    let place = `old_${name}`;
    const isTaken = (): boolean =>
      [...olds, ...news].some(({ fields }) => fields.some((field) => field.name === place));
    while (isTaken()) place += "_";
    return place;
  }

  private markHandled(site: Site, name: string): void {
    this.handled.set(site, (this.handled.get(site) ?? new Set()).add(name));
  }

  /** Returns the renames that the later version declares, and the replacements by another field of the same object. */
  private collectRenames(path: string, olds: readonly Site[], news: readonly Site[]): FieldRename[] {
    const found: FieldRename[] = [];
    const add = (rename: FieldRename): void => {
      const index = found.findIndex(({ from, to }) => from === rename.from && to === rename.to);
      const known = found[index];
      if (known === undefined) found.push(rename);
      else if (!rename.isReplacement)
        found[index] = { ...known, declaredBy: [...known.declaredBy, ...rename.declaredBy] };
    };
    for (const site of news) {
      const compatible = olds.filter((old) => this.areLinked(old, site));
      const members = compatible.flatMap(({ fields }) => fields);
      const all = news.filter((each) => belongsTo(site, each)).flatMap(({ fields }) => fields);
      const { renames, repeated } = findMemberRenames(members, site.fields, all);
      for (const { old, now } of renames)
        if (old.name !== now.name)
          add({
            old,
            from: old.name,
            to: now.name,
            reason: `x-renamed-from of ${now.name}`,
            declaredBy: [site],
            isReplacement: false,
          });
      for (const { old, now } of repeated)
        this.addGap(
          path,
          { reason: `x-renamed-from of ${now.name}`, to: now.name },
          `names ${old.name}, which has another new name.`,
        );
    }
    const renamed = new Set(found.map(({ from }) => from));
    for (const site of olds)
      for (const field of site.fields) {
        const replacement = renamed.has(field.name)
          ? undefined
          : this.findFieldReplacement(site, field, news);
        if (replacement === undefined || replacement.text.startsWith("/")) continue;
        const { text, reason } = replacement;
        const isField = news.some(({ fields }) => fields.some(({ name }) => name === text));
        if (!isField)
          this.addGap(path, { reason, to: field.name }, `names ${text}, which is not a field there.`);
        else if (found.some((each) => each.isReplacement && each.from === field.name && each.to === text))
          for (const each of found.filter(({ from, to }) => from === field.name && to === text))
            found[found.indexOf(each)] = { ...each, declaredBy: [...each.declaredBy, site] };
        else
          found.push({
            old: field,
            from: field.name,
            to: text,
            reason,
            declaredBy: [site],
            isReplacement: true,
          });
      }
    return found;
  }

  /** Returns what is to be used instead of a field that the later version does not have. */
  private findFieldReplacement(site: Site, field: SiteField, news: readonly Site[]): Replacement | undefined {
    const replacement = findReplacement(
      this.pair,
      { kind: "field", name: field.name, site },
      field.replacedBy,
    );
    if (replacement === undefined) return undefined;
    if (replacement.tombstone) this.matched.add(replacement.tombstone);
    return this.isKept(site, field.name, news) ? undefined : replacement;
  }

  /** Returns whether the later version has a field of a site under the same name. */
  private isKept(site: Site, name: string, news: readonly Site[]): boolean {
    return news.some(
      (now) =>
        this.areLinked(site, now) &&
        now.fields.some((field) => field.name === name && field.renamedFrom === undefined),
    );
  }

  private listNewConditions(site: Pick<Site, "branches">): Condition[] {
    return listConditions(site, (tag) => this.convertNewTag(tag, site));
  }

  /** Returns the condition of a tag of the later version in terms of the earlier one. */
  private convertNewTag(
    { parent, name, renamedFrom, values, isExcluded }: Tag,
    holder: Pick<Site, "branches">,
  ): Condition | undefined {
    const path = this.findOldPath(dropDepths(parent), holder);
    if (path === undefined) return undefined;
    const site = this.listOldSites(path).find((each) =>
      each.fields.some((field) => field.name === (renamedFrom ?? name)),
    );
    if (site === undefined) return undefined;
    const place = joinPointer(site.path, renamedFrom ?? name);
    const known = this.listOldSites(dropDepths(place)).flatMap((each) =>
      each.values.map(({ value }) => ({ value, site: each })),
    );
    const replaced = known.filter(({ value, site: place }) => {
      const replacement = findReplacement(this.pair, { kind: "value", name: String(value), site: place });
      return values.some((each) => String(each) === replacement?.text);
    });
    return { place, values: [...values, ...replaced.map(({ value }) => value)], isExcluded };
  }

  /**
   * Returns the conditions under which a rename holds, one list for each alternative; an empty list if it always holds. Undefined
   * if no condition tells the alternatives apart.
   */
  private decideConditions(
    rename: FieldRename,
    olds: readonly Site[],
    news: readonly Site[],
  ): readonly (readonly Condition[])[] | undefined {
    if (this.isExact(rename, [], olds, news)) return [[]];
    const alternatives = rename.declaredBy.map((site) =>
      rename.isReplacement ? listOldConditions(site) : this.listNewConditions(site),
    );
    const isUsable = (conditions: readonly Condition[]): boolean =>
      conditions.length > 0 &&
      conditions.every((each) => !each.isExcluded && this.isAlwaysThere(each.place)) &&
      this.isExact(rename, conditions, olds, news);
    const distinct = new Map(alternatives.map((each) => [JSON.stringify(each), each]));
    return [...distinct.values()].every(isUsable) ? [...distinct.values()] : undefined;
  }

  /** Returns whether every old object with these conditions that has the field is one for which the rename is declared. */
  private isExact(
    rename: FieldRename,
    conditions: readonly Condition[],
    olds: readonly Site[],
    news: readonly Site[],
  ): boolean {
    const { old, declaredBy, isReplacement } = rename;
    const holders = olds.filter(
      (site) =>
        site.fields.some(({ name }) => name === old.name) &&
        areCompatible(listOldConditions(site), conditions),
    );
    if (isReplacement)
      return holders.every(
        (site) => declaredBy.includes(site) || declaredBy.some((each) => belongsTo(site, each)),
      );
    const unions = new Set(declaredBy.flatMap(({ branches }) => branches.map(({ union }) => union)));
    const leaves = news.filter(
      (site) =>
        site.mayBeObject &&
        !news.some(
          (other) => other !== site && other.branches.length > site.branches.length && belongsTo(other, site),
        ),
    );
    return holders.every((holder) => {
      const holds = (site: Site): boolean =>
        areCompatible(this.listNewConditions(site), conditions) && this.areLinked(holder, site);
      return (
        declaredBy.some(holds) &&
        leaves.every(
          (leaf) =>
            !holds(leaf) ||
            declaredBy.some((site) => belongsTo(leaf, site)) ||
            !leaf.branches.some(({ union }) => unions.has(union)),
        )
      );
    });
  }

  /** Returns whether the earlier version requires a field in all alternatives of its object. */
  private isAlwaysThere(place: string): boolean {
    const name = splitPointer(place).at(-1) ?? "";
    const sites = this.listOldSites(dropDepths(findParent(place))).filter(({ mayBeObject }) => mayBeObject);
    const requires = (site: Site): boolean =>
      site.fields.some((field) => field.name === name && field.isRequired);
    const leaves = sites.filter((site) => !sites.some((other) => other !== site && belongsTo(other, site)));
    return leaves.every((leaf) => sites.some((site) => belongsTo(leaf, site) && requires(site)));
  }

  /** Returns whether two renames never concern one object. */
  private isExclusive(a: ConditionalRename, b: ConditionalRename): boolean {
    if (a.isReplacement === b.isReplacement)
      return a.declaredBy.every((first) => b.declaredBy.every((second) => areExclusive(first, second)));
    return a.conditions.every((first) => b.conditions.every((second) => !areCompatible(first, second)));
  }

  /** Records which old places the fields of an object have. */
  private recordNewPlaces(
    path: string,
    renames: readonly ConditionalRename[],
    olds: readonly Site[],
    news: readonly Site[],
  ): void {
    const added = news.flatMap((site) =>
      site.fields
        .filter(
          ({ name, renamedFrom, deprecated }) =>
            renamedFrom === undefined &&
            !deprecated &&
            renames.some(
              ({ from, declaredBy, isReplacement }) =>
                from === name &&
                !isReplacement &&
                declaredBy.some((each) => belongsTo(site, each) || belongsTo(each, site)),
            ),
        )
        .map(({ name }) => ({ name, site })),
    );
    const moved = renames.flatMap(({ from, to, declaredBy, isReplacement }) =>
      isReplacement
        ? olds
            .filter((old) => declaredBy.includes(old))
            .map((old) => ({
              to,
              path: joinPointer(dropDepths(old.path), from),
              sites: news.filter((now) => this.areLinked(old, now)),
            }))
        : declaredBy.map((now) => ({
            to,
            path: joinPointer(this.findOldPath(path, now) ?? "", from),
            sites: [now],
          })),
    );
    for (const { name, site } of added)
      this.addOldPlace(joinPointer(path, name), { path: undefined, sites: [site] });
    for (const { to, ...place } of moved) this.addOldPlace(joinPointer(path, to), place);
  }

  /** Returns whether the earlier version has a field under both names, and a statement that both hold the same thing. */
  private isAlias(rename: FieldRename, olds: readonly Site[], accepted: readonly FieldRename[]): boolean {
    const others = olds.flatMap((site) => site.fields.map((field) => ({ site, field })));
    const other = others.find(
      ({ field }) => field.name === rename.to && !accepted.some(({ from }) => from === field.name),
    );
    if (other === undefined) return false;
    if (rename.isReplacement || other.field.renamedFrom === rename.old.name) return true;
    const holder = others.find(({ field }) => field.name === rename.old.name);
    if (holder === undefined) return false;
    const replacement = findReplacement(
      this.pair,
      { kind: "field", name: rename.old.name, site: holder.site },
      rename.old.replacedBy,
    );
    if (replacement?.tombstone) this.matched.add(replacement.tombstone);
    return replacement?.text === rename.to;
  }

  /** Adds a move of a field of an object. */
  private addMove(
    step: UpcastStep,
    {
      olds,
      conditions,
      path,
      rename,
    }: {
      readonly olds: readonly Site[];
      readonly conditions: readonly Condition[];
      readonly path: string;
      readonly rename: FieldRename;
    },
  ): void {
    const holder = olds.find(
      (site) =>
        site.fields.some(({ name }) => name === rename.old.name) &&
        areCompatible(listOldConditions(site), conditions),
    );
    const old = holder?.path ?? path;
    const newSite = this.listNewSites(path)[0];
    const reason = this.findBlockedPlace(old, newSite?.path ?? path);
    if (reason !== undefined) {
      this.addGap(path, rename, reason);
      return;
    }
    const [from = "", to = ""] = listPlaces(step).map((place) => insertDepths(place, old));
    const moved = createMove(from, to, step.step === "move" && step.alias === true);
    const completed = this.completeStep(moved, old, conditions);
    if (completed === undefined) {
      this.addGap(path, rename, "the field that tells the branches apart has another name in some of them.");
      return;
    }
    this.steps.push({ step: completed, reason: rename.reason });
    this.moves.push({ from, to, conditions });
  }

  /** Returns why no step can lead to a place. */
  private findBlockedPlace(old: string, now: string): string | undefined {
    const [oldDepths, newDepths] = [old, now].map(
      (path) => path.split("/").filter((token) => token === EVERY_DEPTH).length,
    );
    if ((oldDepths ?? 0) > (newDepths ?? 0))
      return "the earlier version has the object at every depth, and the later version does not.";
    for (const [path, { blocked }] of [
      [old, this.before],
      [now, this.after],
    ] as const)
      for (const [place, reason] of blocked) if (`${path}/`.startsWith(`${place}/`)) return `${reason}.`;
    return undefined;
  }

  /** Returns a step with its conditions and with the places to which `**` leads. Undefined if a condition has no place. */
  private completeStep(
    step: UpcastStep,
    oldPath: string,
    conditions: readonly Condition[],
  ): UpcastStep | undefined {
    const tokens = oldPath.split("/");
    const through = tokens.flatMap((token, index) => {
      const place = tokens.slice(0, index + 1).join("/");
      const loops = token === EVERY_DEPTH ? (this.before.loops.get(place) ?? []) : [];
      return loops.flatMap((loop) => this.locate(place + loop));
    });
    const places = conditions.map(({ place }) => this.locate(place, conditions));
    if (places.some(({ length }) => length !== 1)) return undefined;
    const when = Object.fromEntries(
      conditions.map(({ values }, index) => [places[index]?.[0] ?? "", values] as const),
    );
    return {
      ...step,
      ...(conditions.length > 0 && { when }),
      ...(through.length > 0 && { through: [...new Set(through)] }),
    };
  }

  /** Returns the places that a place of the earlier version has after the moves so far. */
  private locate(path: string, conditions: readonly Condition[] = []): string[] {
    const payload = findPayloadPath(this.pair.from, this.pair.event);
    const target = findPayloadPath(this.pair.to, this.pair.target);
    const isInPayload = payload !== "" && `${path}/`.startsWith(`${payload}/`);
    let places = [isInPayload ? target + path.slice(payload.length) : path];
    for (const move of this.moves)
      places = places.flatMap((place) => {
        if (!`${place}/`.startsWith(`${move.from}/`) || !areCompatible(move.conditions, conditions))
          return [place];
        const moved = move.to + place.slice(move.from.length);
        const isCertain = move.conditions.every((each) =>
          conditions.some((other) => JSON.stringify(each) === JSON.stringify(other)),
        );
        return isCertain ? [moved] : [place, moved];
      });
    return places;
  }

  /** Returns the fields that a statement moves to another object. */
  private findFarMoves(): FarMove[] {
    return this.before.list.flatMap((site) =>
      site.fields.flatMap((field): FarMove[] => {
        const news = this.listNewSites(this.findNewPath(site));
        const replacement = this.findFieldReplacement(site, field, news);
        return replacement?.text.startsWith("/")
          ? [{ site, field, to: replacement.text, reason: replacement.reason }]
          : [];
      }),
    );
  }

  private planFarMove({ site, field, to, reason }: FarMove): void {
    if (this.handled.get(site)?.has(field.name)) return;
    const conditions = listOldConditions(site);
    const source = joinPointer(site.path, field.name);
    const [from, ...others] = this.locate(source, conditions);
    const parent = findParent(to);
    const subject = { reason, to: field.name };
    const isField = this.listNewSites(parent).some(({ fields }) =>
      fields.some(({ name }) => joinPointer(parent, name) === to),
    );
    const holders = this.listOldSites(dropDepths(site.path)).filter((other) =>
      other.fields.some(({ name }) => name === field.name),
    );
    const isUnconditional = holders.every(
      (other) =>
        other === site ||
        this.findFieldReplacement(other, field, this.listNewSites(this.findNewPath(other)))?.text === to,
    );
    const isTold =
      conditions.length > 0 && conditions.every((each) => !each.isExcluded && this.isAlwaysThere(each.place));
    if (!isField) this.addGap(site.path, subject, `names ${to}, which is not a field there.`);
    else if (from === undefined || others.length > 0 || (!isUnconditional && !isTold))
      this.addGap(
        site.path,
        subject,
        "no field that each branch has with another value tells the branches apart.",
      );
    else if (findSelectedPlace(from) !== findSelectedPlace(to))
      this.addGap(site.path, subject, "leads out of a list or into one, which no step does.");
    else {
      const oldPlace = this.findOldPathOf(to);
      const hasBoth = this.listOldSites(dropDepths(findParent(oldPlace))).some(({ fields }) =>
        fields.some(
          ({ name }) => joinPointer(dropDepths(findParent(oldPlace)), name) === dropDepths(oldPlace),
        ),
      );
      const step = this.completeStep(
        createMove(from, to, hasBoth),
        site.path,
        isUnconditional ? [] : conditions,
      );
      if (step === undefined)
        this.addGap(
          site.path,
          subject,
          "the field that tells the branches apart has another name in some of them.",
        );
      else if (!this.steps.some((each) => JSON.stringify(each.step) === JSON.stringify(step))) {
        this.steps.push({ step, reason });
        this.moves.push({ from, to, conditions: isUnconditional ? [] : conditions });
      }
    }
    this.markHandled(site, field.name);
  }

  /** Returns the place that a field of the later version has in the earlier one, if nothing was moved to it. */
  private findOldPathOf(place: string): string {
    const parent = this.findOldPath(findParent(place), { branches: [] }) ?? "";
    return parent + place.slice(place.lastIndexOf("/"));
  }

  /** Plans the steps for values that the later version replaces. Fields that tell branches apart change last. */
  private planValues(): void {
    const planned: PlannedStep[] = [];
    const add = (each: PlannedStep): void => {
      if (!planned.some(({ step }) => JSON.stringify(step) === JSON.stringify(each.step))) planned.push(each);
    };
    for (const site of this.before.list)
      for (const { value, isFixed } of site.values) {
        if (value === null) continue;
        const conditions = listOldConditions(site);
        const [at, ...others] = this.locate(site.path, conditions);
        const news =
          at === undefined
            ? []
            : this.listNewSites(dropDepths(at)).filter((now) =>
                areCompatible(conditions, this.listNewConditions(now)),
              );
        const values = news.flatMap((each) => each.values);
        const replacement =
          findReplacement(this.pair, { kind: "value", name: String(value), site }) ??
          findOnlyValue(isFixed, values, at ?? "");
        if (replacement?.tombstone) this.matched.add(replacement.tombstone);
        if (replacement === undefined || values.some((each) => String(each.value) === String(value)))
          continue;
        const now = values.find((each) => String(each.value) === replacement.text);
        const subject = { reason: replacement.reason, to: "" };
        const reason = this.findBlockedPlace(site.path, news[0]?.path ?? site.path);
        if (at === undefined || others.length > 0 || reason !== undefined)
          this.addGap(site.path, subject, reason ?? "the place of the value depends on the branch.");
        else if (now === undefined)
          this.addGap(site.path, subject, `names ${replacement.text}, which is not a value there.`);
        else {
          const change: UpcastStep =
            typeof value === "string"
              ? { step: "map", at, values: { [value]: now.value } }
              : { step: "constant", to: at, value: now.value, replaces: value };
          const needed = this.isEverywhere(site, String(value), replacement) ? [] : conditions;
          const isTold = needed.every((each) => !each.isExcluded && this.isAlwaysThere(each.place));
          const isNeeded = !this.isEverywhere(site, String(value), replacement);
          const step = this.completeStep(change, site.path, needed);
          if (step === undefined || !isTold || (isNeeded && needed.length === 0))
            this.addGap(
              site.path,
              subject,
              "no field that each branch has with another value tells the branches apart.",
            );
          else if (typeof value === "string") add({ step, reason: replacement.reason });
          else add({ step: { ...step, when: { ...step.when, [at]: [value] } }, reason: replacement.reason });
        }
      }
    const tags = new Set(planned.flatMap(({ step }) => Object.keys(step.when ?? {})));
    const isTag = ({ step }: PlannedStep) => listPlaces(step).some((place) => tags.has(place));
    const byDepth = (steps: readonly PlannedStep[]) =>
      [...steps].sort(
        (a, b) => countTokens(listPlaces(b.step)[0] ?? "") - countTokens(listPlaces(a.step)[0] ?? ""),
      );
    this.steps.push(...byDepth(planned.filter((each) => !isTag(each))), ...byDepth(planned.filter(isTag)));
  }

  /** Returns whether a value has the same replacement in all alternatives of its place. */
  private isEverywhere(site: Site, value: string, { text }: Replacement): boolean {
    const holders = this.listOldSites(dropDepths(site.path)).filter((other) =>
      other.values.some((each) => String(each.value) === value),
    );
    return holders.every((other) => {
      if (other === site) return true;
      const conditions = listOldConditions(other);
      const [at = ""] = this.locate(other.path, conditions);
      const kept = this.listNewSites(dropDepths(at)).some(
        (now) =>
          areCompatible(conditions, this.listNewConditions(now)) &&
          now.values.some((each) => String(each.value) === value),
      );
      return !kept && findReplacement(this.pair, { kind: "value", name: value, site: other })?.text === text;
    });
  }

  /** Names statements below lists and maps that the two versions divide in different ways. */
  private findLostContainers(path: string, site: Site): void {
    const oldPath = this.findOldPath(path, site);
    if (oldPath === undefined || this.listOldSites(oldPath).length > 0) return;
    const parts = oldPath.split("/");
    for (let length = parts.length - 1; length > 0; length--) {
      const parent = parts.slice(0, length).join("/");
      if (this.listOldSites(parent).length === 0) continue;
      const token = parts[length] ?? "";
      const others = this.before.list.filter(({ path: each }) => {
        const place = dropDepths(each);
        return (
          place.startsWith(`${parent}/`) && isSelector(place.slice(parent.length + 1).split("/")[0] ?? "")
        );
      });
      if (isSelector(token) && others.length > 0)
        for (const field of site.fields)
          if (field.renamedFrom !== undefined)
            this.addGap(
              path,
              { reason: `x-renamed-from of ${field.name}`, to: field.name },
              "the earlier version divides the values of the list or map in another way.",
            );
      return;
    }
  }

  private addGap(
    path: string,
    { reason: statement, to }: { readonly reason: string; readonly to: string },
    reason: string,
  ): void {
    const place = to === "" ? path : joinPointer(path, to);
    const gap: Gap = { type: this.pair.event.type, place, statement, reason };
    if (!this.gaps.some((each) => JSON.stringify(each) === JSON.stringify(gap))) this.gaps.push(gap);
  }
}

function listOldConditions(site: Pick<Site, "branches">): Condition[] {
  return listConditions(site, convertOldTag);
}

/** Returns the only value that a place has in the later version, if it has another one in the earlier version. */
function findOnlyValue(isFixed: boolean, values: Site["values"], path: string): Replacement | undefined {
  const [now, ...others] = values;
  return isFixed && now?.isFixed === true && others.length === 0
    ? { text: String(now.value), reason: `the only value of ${path}` }
    : undefined;
}

function createMove(from: string, to: string, isAlias: boolean): UpcastStep {
  return isAlias ? { step: "move", from, to, alias: true } : { step: "move", from, to };
}

/** Returns a place of the later version with the parts for every depth that the object has in the earlier version. */
function insertDepths(place: string, oldObject: string): string {
  const names = place.split("/");
  const old = [...oldObject.split("/"), ""];
  const result: string[] = [];
  for (let token = old.pop(); token !== undefined; token = old.pop()) {
    if (token === EVERY_DEPTH) result.unshift(token);
    else result.unshift(names.pop() ?? "");
  }
  return [...names, ...result].join("/");
}

function findParent(place: string): string {
  return place.slice(0, place.lastIndexOf("/"));
}

function countTokens(path: string): number {
  return path.split("/").length;
}
