import type { ObjectQuery } from '../api/api.types.js';

/** The filters of the list, as they stand in the address of the page. */
export type ObjectFilter = Omit<ObjectQuery, 'offset' | 'limit'>;

/** The names of the filters, without the order. */
const FILTERS = ['resource', 'namespace', 'phase', 'handler', 'retries', 'deleting', 'stuck', 'search'] as const;

/** Reads the filters from the parameters of an address; what cannot be read counts as absent. */
export function readObjectQuery(query: URLSearchParams): ObjectFilter {
  const read = (name: string) => query.get(name) || undefined;
  const retries = Number(read('retries'));
  return {
    resource: read('resource'),
    namespace: read('namespace'),
    phase: read('phase') as ObjectFilter['phase'],
    handler: read('handler'),
    retries: Number.isInteger(retries) && retries > 0 ? retries : undefined,
    deleting: read('deleting') === 'true' ? true : undefined,
    stuck: read('stuck') === 'true' ? true : undefined,
    search: read('search'),
    sort: read('sort') as ObjectFilter['sort'],
  };
}

/** Whether a filter leaves objects out. */
export function isFiltered(query: ObjectFilter): boolean {
  return FILTERS.some((name) => query[name] !== undefined);
}

/** Changes that take all filters away. */
export function clearedFilters(): Record<string, undefined> {
  return Object.fromEntries(FILTERS.map((name) => [name, undefined]));
}
