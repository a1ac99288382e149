import type { InspectedObject, InspectedPage, ObjectOrder, ObjectQuery } from '../inspection.types.js';
import { InspectionError } from '../inspection.error.js';
import type { ListPart } from './sorted.merging.js';

const PHASES = ['idle', 'inWork', 'waiting', 'failing', 'failed', 'deleting', 'stuck'] as const;
const ORDERS = ['name', 'phase', 'retries', 'due', 'changed'] as const;

/** The most objects of one answer. */
const MOST = 500;

/** Phases in the order in which they need attention. */
const RANKS = ['stuck', 'failed', 'failing', 'deleting', 'waiting', 'inWork', 'idle'];

/** Reads a parameter that counts something. @throws InspectionError 400 if it is no such number. */
export function parseCount(parameters: URLSearchParams, name: string): number | undefined {
  const value = parameters.get(name) || undefined;
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new InspectionError(400, `${name} must be a number, not negative.`);
  return Number(value);
}

/**
 * Reads the query of an address.
 *
 * @throws InspectionError 400 that names the parameter which is wrong.
 */
export function parseObjectQuery(parameters: URLSearchParams): ObjectQuery {
  const text = (name: string): string | undefined => parameters.get(name) || undefined;
  const count = (name: string): number | undefined => parseCount(parameters, name);
  const flag = (name: string): boolean | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    return value !== 'false' && value !== '0';
  };
  const oneOf = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const value = text(name);
    if (value === undefined || (values as readonly string[]).includes(value)) return value as T | undefined;
    throw new InspectionError(400, `${name} must be one of ${values.join(', ')}.`);
  };
  return {
    resource: text('resource'),
    namespace: text('namespace'),
    phase: oneOf('phase', PHASES),
    handler: text('handler'),
    retries: count('retries'),
    deleting: flag('deleting'),
    stuck: flag('stuck'),
    search: text('search'),
    sort: oneOf('sort', [...ORDERS, ...ORDERS.map((order) => `-${order}` as const)]),
    offset: count('offset'),
    limit: count('limit'),
  };
}

/** The parts of an object's name by which lists are sorted and searched. */
export interface ListedName {
  readonly namespace?: string;
  readonly name: string;
}

/** Compares by namespace and name, by code units, so that the order does not depend on the language of the machine. */
export function compareNames(one: ListedName, other: ListedName): number {
  const [a = '', b = ''] = [one.namespace, other.namespace];
  if (a !== b) return a < b ? -1 : 1;
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

/** Creates the predicate of the part of a query that is about names only. It is called for each of very many objects. */
export function matchName({ namespace, search }: ObjectQuery): (object: ListedName) => boolean {
  const wanted = search?.toLowerCase();
  return (object) => {
    if (namespace !== undefined && object.namespace !== namespace) return false;
    if (wanted === undefined) return true;
    if (object.name.toLowerCase().includes(wanted)) return true;
    return wanted.includes('/') && `${object.namespace ?? ''}/${object.name}`.toLowerCase().includes(wanted);
  };
}

/** Whether the query selects by properties that idle objects do not have. */
export function wantsActivity({ phase, handler, retries = 0, stuck }: ObjectQuery): boolean {
  return (phase !== undefined && phase !== 'idle') || handler !== undefined || retries > 0 || stuck === true;
}

/** Creates the predicate of the part of a query that is about the handling of objects. */
export function matchActivity({ phase, handler, retries = 0, deleting, stuck }: ObjectQuery) {
  return (object: InspectedObject): boolean =>
    (phase === undefined || object.phase === phase) &&
    (handler === undefined || object.handlers.includes(handler)) &&
    object.retries >= retries &&
    (deleting === undefined || object.deleting === deleting) &&
    (stuck === undefined || (object.phase === 'stuck') === stuck);
}

/**
 * Compares objects as the query wants them sorted: from the smallest value on, with a `-` from the largest. Objects without a value come last
 * in either direction; those that are the same in this respect are sorted by their names.
 */
export function compareObjects({
  sort = 'name',
}: ObjectQuery): (one: InspectedObject, other: InspectedObject) => number {
  const isBackwards = sort.startsWith('-');
  const order = (isBackwards ? sort.slice(1) : sort) as ObjectOrder;
  if (order === 'name') return isBackwards ? (one, other) => compareNames(other, one) : compareNames;
  const valueOf = VALUES[order];
  const direction = isBackwards ? -1 : 1;
  return (one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === b) return compareNames(one, other);
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return (a - b) * direction;
  };
}

/** The values by which objects are sorted: of phases, the one that needs attention most is the smallest. */
const VALUES: Readonly<Record<Exclude<ObjectOrder, 'name'>, (object: InspectedObject) => number | undefined>> = {
  phase: ({ phase }) => RANKS.indexOf(phase),
  retries: ({ retries }) => retries,
  due: ({ dueAt }) => dueAt,
  changed: ({ changedAt }) => changedAt,
};

/** The part of a list that a query asks for. */
export function partOf({ offset = 0, limit = 100 }: ObjectQuery): ListPart {
  return { start: offset, end: offset + Math.min(limit, MOST) };
}

/** Cuts the part of a list that a query asks for. */
export function cutPage<T, R>(all: readonly T[], query: ObjectQuery, show: (item: T) => R): InspectedPage<R> {
  const { start, end } = partOf(query);
  return { total: all.length, offset: start, items: all.slice(start, end).map(show) };
}
