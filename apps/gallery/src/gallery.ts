import type { DynamicModule, Type } from '@nestjs/common';
import { ActivitiesOperator } from './activities/activities.operator.js';
import { AdmissionOperator } from './admission/admission.operator.js';
import { DaemonsOperator } from './daemons/daemons.operator.js';
import { EventsOperator } from './events/events.operator.js';
import { FiltersOperator } from './filters/filters.operator.js';
import { HierarchiesOperator } from './hierarchies/hierarchies.operator.js';
import { IndexingOperator } from './indexing/indexing.operator.js';
import { MemosOperator } from './memos/memos.operator.js';
import { ProbesModule } from './probes/probes.module.js';
import { SubHandlersOperator } from './sub-handlers/sub-handlers.operator.js';
import { TimersOperator } from './timers/timers.operator.js';

/** Shows one feature by an operator, or by a module with one. */
export interface Exhibit {
  readonly providers?: readonly Type[];
  readonly imports?: readonly (Type | DynamicModule)[];
}

/** All exhibits by the names of their features. */
export const GALLERY: Readonly<Record<string, Exhibit>> = {
  activities: { providers: [ActivitiesOperator] },
  admission: { providers: [AdmissionOperator] },
  daemons: { providers: [DaemonsOperator] },
  events: { providers: [EventsOperator] },
  filters: { providers: [FiltersOperator] },
  hierarchies: { providers: [HierarchiesOperator] },
  indexing: { providers: [IndexingOperator] },
  memos: { providers: [MemosOperator] },
  probes: { imports: [ProbesModule] },
  'sub-handlers': { providers: [SubHandlersOperator] },
  timers: { providers: [TimersOperator] },
};
