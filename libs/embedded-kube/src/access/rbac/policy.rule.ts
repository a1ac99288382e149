import type { AuthorizationAttributes } from '../../machinery/authorizer.js';

/** A rule of a role: each verb on each resource of each group, or on each path. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const NONE: readonly string[] = [];

/** Whether a rule allows a request. */
export function ruleAllows(rule: PolicyRule, { verb, path, group, resource, name }: AuthorizationAttributes): boolean {
  if (!matches(rule.verbs, verb)) return false;
  if (path !== undefined) return rule.nonResourceURLs?.some((each) => pathCovers(each, path)) === true;
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE } = rule;
  return (
    matches(apiGroups, group) &&
    resourceCovers(resources, resource) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

/**
 * Finds the rights that a user would grant without having them.
 *
 * @returns the parts of the rules, with one resource, name or path each, that none of the own rules covers
 */
export function uncoveredRules(own: readonly PolicyRule[], given: readonly PolicyRule[]): PolicyRule[] {
  return given.flatMap(brokenDown).filter((part) => !own.some((rule) => covers(rule, part)));
}

/** Joins parts of rules that differ in nothing but their verbs, and writes them as the real server does, in alphabetical order. */
export function describeRules(parts: readonly PolicyRule[]): string {
  const joined = new Map<string, PolicyRule>();
  for (const part of parts) {
    const { verbs, ...rest } = part;
    const key = part.nonResourceURLs ? JSON.stringify(part) : JSON.stringify(rest);
    const known = joined.get(key);
    joined.set(key, known ? { ...rest, verbs: [...known.verbs, ...verbs] } : part);
  }
  return [...joined.values()].map(describeRule).toSorted(byBytes).join('\n');
}

function describeRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const named = parts.filter(([, values]) => values && values.length > 0);
  return `{${named.map(([name, values]) => `${name}:[${quoted(values!)}]`).join(', ')}}`;
}

/** Texts in quotes, as the real server prints lists of them. */
export function quoted(texts: readonly string[]): string {
  return texts.map((each) => JSON.stringify(each)).join(' ');
}

function brokenDown(rule: PolicyRule): PolicyRule[] {
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE, verbs } = rule;
  const parts: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) parts.push(part);
        for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] });
      }
    }
  }
  for (const path of nonResourceURLs) {
    for (const verb of verbs) parts.push({ nonResourceURLs: [path], verbs: [verb] });
  }
  return parts;
}

/** @param part with one value of each kind at most */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE } = rule;
  if (!matches(rule.verbs, part.verbs[0]!)) return false;
  if (part.nonResourceURLs) return nonResourceURLs.some((each) => pathCovers(each, part.nonResourceURLs![0]!));
  const name = part.resourceNames?.[0];
  return (
    matches(apiGroups, part.apiGroups![0]!) &&
    resourceCovers(resources, part.resources![0]!) &&
    (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name)))
  );
}

function matches(values: readonly string[], value: string): boolean {
  return values.includes(value) || values.includes('*');
}

/** Whether resources such as `pods`, `*`, `pods/log` or `*`+`/scale` include one. */
function resourceCovers(resources: readonly string[], resource: string): boolean {
  if (matches(resources, resource)) return true;
  const slash = resource.indexOf('/');
  return slash > 0 && resources.includes(`*${resource.slice(slash)}`);
}

function pathCovers(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
