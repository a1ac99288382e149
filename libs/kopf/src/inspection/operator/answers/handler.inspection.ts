import { ABSENT, PRESENT } from '../../../contexts/filter-options.js';
import type { Handler, ResourceHandler } from '../../../registry/handler.js';
import type { HandlerDescription } from '../../../registry/handler.js';
import type { HandlerRegistry } from '../../../registry/handler.registry.js';
import type { InspectedHandler, InspectedWebhook } from '../../inspection.types.js';
import type { HandlerStatistics } from '../history/handler.statistics.js';
import { CONVERSION, type ReviewStatistics } from '../history/review.statistics.js';

const WEBHOOKS: readonly string[] = ['validate', 'mutate', 'convert'];

/** Returns the handlers with the numbers of their calls; handlers of webhooks are in a separate answer. */
export function inspectHandlers(
  registry: HandlerRegistry,
  statistics: HandlerStatistics,
  now: number,
): readonly InspectedHandler[] {
  const filters = new Map<string, readonly string[]>();
  const all = [
    ...registry.allWatching(),
    ...registry.allChanging(),
    ...registry.allSpawning(),
    ...registry.allIndexing(),
  ];
  for (const handler of all) filters.set(keyOf(handler, String(handler.selector)), describeFilters(handler));
  return registry
    .describe()
    .filter(({ kind }) => !WEBHOOKS.includes(kind))
    .map((handler) => ({
      kind:
        handler.kind === 'watching'
          ? 'event'
          : handler.kind === 'changing'
            ? (handler.reason ?? 'change')
            : handler.kind,
      id: handler.id,
      source: handler.source,
      ...(handler.selector !== undefined && { selector: handler.selector }),
      ...(handler.reason !== undefined && { reason: handler.reason }),
      filters: filters.get(keyOf(handler, handler.selector)) ?? [],
      ...statistics.of(handler, now),
    }));
}

/** Describes the webhooks with the numbers of their reviews. */
export function inspectWebhooks(registry: HandlerRegistry, statistics: ReviewStatistics): readonly InspectedWebhook[] {
  return registry
    .describe()
    .filter(({ kind }) => WEBHOOKS.includes(kind))
    .map((handler) => {
      const { id, source, selector, kind } = handler as HandlerDescription & Pick<InspectedWebhook, 'kind'>;
      const reviews = statistics.of(kind === 'convert' ? CONVERSION : id);
      return { id, kind, source, ...(selector !== undefined && { selector }), ...reviews };
    });
}

/** Describes the filters of a handler in words. They are code of the application, and contain nothing of objects. */
function describeFilters(handler: ResourceHandler): readonly string[] {
  const { objectSelector, labels = {}, annotations = {}, field, value, when } = handler;
  const { old, new: wanted } = handler as { readonly old?: unknown; readonly new?: unknown };
  const pairs = (name: string, filter: object): readonly string[] =>
    Object.entries(filter).map(([key, each]) => `${name} ${key}: ${describeWanted(each)}`);
  return [
    ...(objectSelector?.labelSelector ? [`selected by labels: ${objectSelector.labelSelector}`] : []),
    ...(objectSelector?.fieldSelector ? [`selected by fields: ${objectSelector.fieldSelector}`] : []),
    ...pairs('label', labels),
    ...pairs('annotation', annotations),
    ...(field ? [`field ${field.join('.')}${value === undefined ? '' : `: ${describeWanted(value)}`}`] : []),
    ...(old === undefined ? [] : [`old value: ${describeWanted(old)}`]),
    ...(wanted === undefined ? [] : [`new value: ${describeWanted(wanted)}`]),
    ...(when ? [`when: ${describeWanted(when)}`] : []),
  ];
}

function describeWanted(wanted: unknown): string {
  if (wanted === PRESENT) return 'present';
  if (wanted === ABSENT) return 'absent';
  if (typeof wanted === 'function') return `the callback ${wanted.name || 'without a name'}`;
  return typeof wanted === 'string' ? wanted : (JSON.stringify(wanted) ?? String(wanted));
}

function keyOf({ id, source }: Pick<Handler, 'id' | 'source'>, selector: string | undefined): string {
  return `${source} ${id} ${selector}`;
}
