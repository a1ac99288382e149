import { joinWords } from 'kube-common';
import { compileGlob } from './namespaces.js';
import { findNearResources } from './near.resources.js';
import { qualifiedName, type Resource, resourceKey } from './resources.js';
import type { ResourceDeclaration } from './object-class.js';
import { EVERYTHING, type ResourceCriteria } from './resource-criteria.js';

/** The criteria that kubectl's notation has: `deployments.v1.apps`. */
const NAMING: ReadonlySet<string> = new Set(['plural', 'version', 'group']);

/** A condition on resources: it selects those that a handler is for, out of those that the cluster has. */
export class ResourceSelector {
  private readonly globs = new Map<string, RegExp>();
  /** Whether a name is a glob: it does not match events then. */
  private readonly isByGlob: boolean;

  /** @param declaration the class that declares the resource, if it was selected by one. */
  constructor(
    readonly criteria: ResourceCriteria,
    readonly declaration?: ResourceDeclaration,
  ) {
    for (const text of Object.values(criteria)) if (isGlob(text)) this.globs.set(text, compileGlob(text));
    const { kind, plural, singular, shortcut, anyName } = criteria;
    this.isByGlob = [kind, plural, singular, shortcut, anyName].some(isGlob);
  }

  /**
   * Whether the selector is for a single resource, so that several matches are an ambiguity. Categories, predicates, globs, and
   * `EVERYTHING` are not.
   */
  get isSpecific(): boolean {
    if (this.globs.size > 0) return false;
    const { kind, plural, singular, shortcut, anyName } = this.criteria;
    return [kind, plural, singular, shortcut].some((name) => name !== undefined) || typeof anyName === 'string';
  }

  /** Checks whether a resource satisfies the criteria. */
  check(resource: Resource): boolean {
    const { group, kind, plural, singular, shortcut, category } = this.criteria;
    return (
      this.matches(group, resource.group) &&
      this.checkVersion(resource) &&
      this.matches(kind, resource.kind) &&
      this.matches(plural, resource.plural) &&
      this.matches(singular, resource.singular) &&
      this.matchesAny(shortcut, resource.shortNames) &&
      this.matchesAny(category, resource.categories) &&
      this.checkAnyName(resource) &&
      this.checkEvents(resource) &&
      this.checkPredicate(resource)
    );
  }

  /**
   * Selects the resources that satisfy the criteria. If the selector is for a single resource, those of the core group have priority over
   * equally named ones of other groups, as in kubectl.
   */
  select(resources: Iterable<Resource>): Resource[] {
    const selected = [...resources].filter((resource) => this.check(resource));
    const core = this.isSpecific ? selected.filter(({ group }) => group === '') : [];
    return core.length > 0 ? core : selected;
  }

  /** Checks whether the selector is for a single resource, but several were selected. Kopf serves none of them then. */
  isAmbiguous(selected: readonly Resource[]): boolean {
    return this.isSpecific && selected.length > 1;
  }

  /** Formats the selector for people: `deployments.v1.apps`, `category=all`, `kind=Pod group=v1`. */
  toString(): string {
    const { group, version, anyName, predicate, ...names } = this.criteria;
    const parts = Object.entries({ ...names, group, version }).filter(([, value]) => value !== undefined);
    const isByPlural = names.plural !== undefined && Boolean(group) && parts.every(([name]) => NAMING.has(name));
    const plain = isByPlural && !predicate && anyName === undefined ? names.plural : anyName;
    if (typeof plain === 'string') return [plain, version, group].filter(Boolean).join('.');
    const texts = parts.map(([name, value]) => `${name}=${value || "''"}`);
    if (anyName === EVERYTHING) texts.unshift('EVERYTHING');
    if (predicate) texts.unshift(predicate.name || 'predicate');
    return texts.join(' ');
  }

  private checkVersion(resource: Resource): boolean {
    const { version, predicate } = this.criteria;
    if (version === undefined) return resource.preferred || predicate !== undefined;
    // All versions have the same objects, so a glob selects only one of the versions.
    if (this.globs.has(version)) return resource.preferred && this.matches(version, resource.version);
    return version === resource.version;
  }

  /** Checks that events are selected only by their name. */
  private checkEvents(resource: Resource): boolean {
    return !this.isByGlob || !isEvents(resource);
  }

  /** Checks whether the text equals the criterion, or matches its glob. */
  private matches(wanted: string | undefined, text: string): boolean {
    if (wanted === undefined || wanted === text) return true;
    return this.globs.get(wanted)?.test(text) ?? false;
  }

  private matchesAny(wanted: string | undefined, texts: readonly string[]): boolean {
    return wanted === undefined || texts.some((text) => this.matches(wanted, text));
  }

  private checkAnyName(resource: Resource): boolean {
    const { anyName } = this.criteria;
    if (anyName === undefined) return true;
    if (anyName === EVERYTHING) return !isEvents(resource);
    const { kind, plural, singular, shortNames } = resource;
    return this.matchesAny(anyName, [kind, plural, singular]) || this.matchesAny(anyName, shortNames);
  }

  private checkPredicate(resource: Resource): boolean {
    const { predicate } = this.criteria;
    return predicate === undefined || (!isEvents(resource) && predicate(resource));
  }
}

function isGlob(text: unknown): text is string {
  return typeof text === 'string' && /[*?[]/.test(text);
}

/** Checks for events: handling posts events, and handling those would lead to further ones without end. */
function isEvents({ group, plural }: Resource): boolean {
  return plural === 'events' && (group === '' || group === 'events.k8s.io');
}

/** A resource of handlers that the operator does not watch or review, with the reason. */
export interface UnservedResource {
  /** The resource as the decorator names it: `confgmaps`, `deployments.v1.apps`. */
  readonly resource: string;
  /** The reason in words: `the cluster has no such resource; did you mean configmaps?` */
  readonly reason: string;
  /** The methods whose decorators have the selector: `Operator.create`. */
  readonly handlers: readonly string[];
  /** The resources of the cluster with similar names, the nearest first. */
  readonly suggestions: readonly string[];
}

/** The result of resolving selectors with the resources of a cluster. */
export interface ResourceSelection {
  /** The selected resources, without duplicates. */
  readonly resources: readonly Resource[];
  /** The selectors that match no resource of the cluster. */
  readonly unresolved: readonly ResourceSelector[];
  /** The selectors that select nothing, with the reasons. */
  readonly unserved: readonly UnservedResource[];
  /** One text for each problem that the user should know of. */
  readonly warnings: readonly string[];
}

/**
 * Selects the resources that match any of the selectors, out of all that the cluster has. If a selector for a single resource matches
 * several ones, it selects none of them.
 *
 * @param purpose the purpose of the selection, for the warnings: `served`, `admitted`.
 * @param handlersOf returns the methods whose decorators have the selector, for the warnings. @default the warnings name none
 */
export function resolveSelectors(
  selectors: Iterable<ResourceSelector>,
  available: readonly Resource[],
  purpose: string,
  handlersOf: (selector: ResourceSelector) => readonly string[] = () => [],
): ResourceSelection {
  const selected = new Map<string, Resource>();
  const unresolved: ResourceSelector[] = [];
  const unserved: UnservedResource[] = [];
  for (const selector of selectors) {
    const found = selector.select(available);
    const [resource, handlers] = [String(selector), handlersOf(selector)];
    if (found.length === 0) {
      unresolved.push(selector);
      const suggestions = findNearResources(selector.criteria, available);
      unserved.push({ resource, reason: explainAbsence(suggestions), handlers, suggestions });
    } else if (selector.isAmbiguous(found)) {
      const reason = `it can be any of ${found.map(resourceKey).join(', ')}; add the group to say which`;
      unserved.push({ resource, reason, handlers, suggestions: found.map(qualifiedName) });
    } else {
      for (const each of found) selected.set(resourceKey(each), each);
    }
  }
  const warnings = unserved.map((each) => `${each.resource} is not ${purpose}: ${describeReason(each)}`);
  return { resources: [...selected.values()], unresolved, unserved, warnings };
}

/** Describes in a sentence why a resource is not served, and which methods name it. */
export function describeReason({ reason, handlers }: Pick<UnservedResource, 'reason' | 'handlers'>): string {
  const sentence = reason.endsWith('?') ? reason : `${reason}.`;
  return handlers.length === 0 ? sentence : `${sentence} Named by ${joinWords(handlers, 'and')}.`;
}

function explainAbsence(suggestions: readonly string[]): string {
  const absence = 'the cluster has no such resource';
  if (suggestions.length === 0) return `${absence}; it will be, once it is created`;
  return `${absence}; did you mean ${joinWords(suggestions, 'or')}?`;
}
