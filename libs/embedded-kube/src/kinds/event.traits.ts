import { pathSegment } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { validateEvent, validateNewEvent } from './validation/cluster/event.validation.js';
import { ruledBy } from './validation/kind.rules.js';

export const EVENT_TRAITS: BuiltinTraits = {
  nameRule: pathSegment,
  unqualifiedFinalizers: true,
  ownsNothing: true,
  validate: ruledBy(validateEvent),
};

/** The traits of events of events.k8s.io, which are checked as those of the core group, under its names, and more strictly. */
export const NEW_EVENT_TRAITS: BuiltinTraits = {
  ownsNothing: true,
  validate: ruledBy((report, event, previous) => {
    validateNewEvent(report, toCoreEvent(event), previous && toCoreEvent(previous));
  }),
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

/** Converts an event of the core group to events.k8s.io. */
export function toNewEvent<T extends object>(event: T): T {
  return renameFields(event, new Map(RENAMED.map(([renamed, core]) => [core, renamed])));
}

/** Converts an event of events.k8s.io to the core group. */
export function toCoreEvent<T extends object>(event: T): T {
  return renameFields(event, new Map(RENAMED));
}

function renameFields<T extends object>(event: T, names: ReadonlyMap<string, string>): T {
  return Object.fromEntries(Object.entries(event).map(([key, value]) => [names.get(key) ?? key, value])) as T;
}
