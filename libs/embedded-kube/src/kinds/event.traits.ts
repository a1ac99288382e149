import { invalidField } from '../errors/field.error.js';
import { mapping } from '../common/json.values.js';
import type { BuiltinTraits } from './builtin.strategy.js';

export const EVENT_TRAITS: BuiltinTraits = {
  validate: ({ metadata, involvedObject }, previous) => {
    if (previous) return [];
    const namespace = String(mapping(involvedObject)['namespace'] ?? '');
    // Events about objects of the cluster live in the default namespace.
    const fits = namespace === metadata.namespace || (namespace === '' && metadata.namespace === 'default');
    return fits ? [] : [invalidField('involvedObject.namespace', namespace, 'does not match event.namespace')];
  },
};

/** The names of fields in events.k8s.io and in the core group, which store the same events. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** An event of the core group as events.k8s.io gives it. */
export function toNewEvent<T extends object>(event: T): T {
  return renameFields(event, new Map(RENAMED.map(([renamed, core]) => [core, renamed])));
}

/** The reverse of {@link toNewEvent}. */
export function toCoreEvent<T extends object>(event: T): T {
  return renameFields(event, new Map(RENAMED));
}

function renameFields<T extends object>(event: T, names: ReadonlyMap<string, string>): T {
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [names.get(key) ?? key, value])) as T;
}
