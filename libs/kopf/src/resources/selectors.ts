import { ResourceSelector } from './resource-selector.js';
import { EVERYTHING, type ResourceCriteria, type ResourcePredicate } from './resource-criteria.js';
import { KOPF_RESOURCE, type ResourceDeclaration, isResourceDeclaration } from './object-class.js';

/** A resource by its parts; exactly one of the names is given. */
export interface SelectorParts {
  group?: string;
  version?: string;
  kind?: string;
  plural?: string;
  singular?: string;
  shortcut?: string;
  category?: string;
}

/**
 * The resource of a handler:
 *
 * - any name, with an optional version and group: `'pods'`, `'Pod'`, `'po'`, `'deployments.apps'`, `'deployments.v1.apps'`;
 * - a group and version, and any name: `'kopf.dev/v1', 'kopfexamples'`, or `'v1', 'pods'`, or `'kopf.dev', 'kopfexamples'`;
 * - all three: `'kopf.dev', 'v1', 'kopfexamples'`;
 * - globs in any of them: `'*.example.com'` is all resources in this group, `'*.example.com', '*', '*'` all resources in the groups below it;
 * - parts: `{ category: 'all' }`, `{ group: 'kopf.dev', kind: 'KopfExample' }`;
 * - `EVERYTHING`, a predicate, or a class that declares its resource.
 */
export type SelectorArgs =
  | readonly [name: string | SelectorParts | typeof EVERYTHING | ResourcePredicate | ResourceDeclaration]
  | readonly [groupVersionOrGroup: string, name: string]
  | readonly [group: string, version: string, name: string];

const KEYS: ReadonlySet<string> = new Set(['group', 'version', 'kind', 'plural', 'singular', 'shortcut', 'category']);
const NAMED_WITH_VERSION = /^([^.]*)\.(v\d+(?:(?:alpha|beta)\d+)?)(?:\.(.*))?$/;

/**
 * Converts a resource as users write it to a selector.
 *
 * @throws TypeError if the arguments are none of {@link SelectorArgs}, or have no name, or several names.
 */
export function parseSelector(args: SelectorArgs | readonly unknown[]): ResourceSelector {
  const criteria = parseArguments(args);
  const { group: _group, version: _version, ...names } = criteria;
  const given = Object.values(names).filter((name) => name !== undefined);
  if (given.length === 0) throw new TypeError(`A resource needs a name or a category. Got ${describe(args)}.`);
  if (given.length > 1) throw new TypeError(`A resource needs only one name or category. Got ${describe(args)}.`);
  if (given[0] === '') throw new TypeError(`A resource's name cannot be empty. Got ${describe(args)}.`);
  const [declaration] = args;
  return new ResourceSelector(criteria, isResourceDeclaration(declaration) ? declaration : undefined);
}

function parseArguments(args: readonly unknown[]): ResourceCriteria {
  if (args.length === 1) return parseSingle(args[0], args);
  const name = args.at(-1);
  const rest = args.slice(0, -1);
  if (rest.length < 1 || rest.length > 2 || !isName(name) || !rest.every((part) => typeof part === 'string')) {
    throw new TypeError(`A resource is a group, a version, and a name, all of them strings. Got ${describe(args)}.`);
  }
  const [first, version] = rest as string[];
  if (version !== undefined) return { group: first, version, anyName: name };
  if (first.includes('/')) return { ...splitApiVersion(first), anyName: name };
  if (first === 'v1') return { group: '', version: first, anyName: name };
  return { group: first, anyName: name };
}

function parseSingle(arg: unknown, args: readonly unknown[]): ResourceCriteria {
  if (arg === EVERYTHING) return { anyName: EVERYTHING };
  if (typeof arg === 'string') return parseName(arg);
  if (isResourceDeclaration(arg)) {
    const { group, version, plural } = arg[KOPF_RESOURCE];
    return { group, version, plural };
  }
  if (typeof arg === 'function') return parsePredicate(arg);
  if (typeof arg === 'object' && arg !== null && !Array.isArray(arg)) return parseNames(arg, args);
  throw new TypeError(`This is not a resource: ${describe(args)}.`);
}

function parseName(text: string): ResourceCriteria {
  if (text.includes('/')) {
    throw new TypeError(`A resource needs a name after its group and version. Got only ${JSON.stringify(text)}.`);
  }
  const [, name, version, group] = NAMED_WITH_VERSION.exec(text) ?? [];
  if (version !== undefined)
    return group === undefined ? { version, anyName: name } : { group, version, anyName: name };
  const dot = text.indexOf('.');
  return dot < 0 ? { anyName: text } : { group: text.slice(dot + 1), anyName: text.slice(0, dot) };
}

function parsePredicate(predicate: Function): ResourceCriteria {
  if (/^class\b/.test(Function.prototype.toString.call(predicate))) {
    throw new TypeError(`The class ${predicate.name} does not declare which resource it is for.`);
  }
  return { predicate: predicate as ResourcePredicate };
}

function parseNames(names: object, args: readonly unknown[]): ResourceCriteria {
  for (const [key, value] of Object.entries(names)) {
    if (!KEYS.has(key)) throw new TypeError(`A resource has no ${key}. Got ${describe(args)}.`);
    if (value !== undefined && typeof value !== 'string') {
      throw new TypeError(`A resource's ${key} must be a string. Got ${describe(args)}.`);
    }
  }
  return { ...names };
}

function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.lastIndexOf('/');
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

function isName(value: unknown): value is string | typeof EVERYTHING {
  return typeof value === 'string' || value === EVERYTHING;
}

function describe(args: readonly unknown[]): string {
  const text = args.map((arg) => (typeof arg === 'object' ? JSON.stringify(arg) : formatArgument(arg))).join(', ');
  return text || 'nothing';
}

function formatArgument(arg: unknown): string {
  if (typeof arg === 'string') return JSON.stringify(arg);
  return typeof arg === 'function' ? `function ${arg.name}` : String(arg);
}
