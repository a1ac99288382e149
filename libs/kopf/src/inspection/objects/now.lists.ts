import type {
  FailureGroup,
  OperatorActivity,
  ObjectIdentity,
  InspectedProgress,
  WaitingCall,
  OngoingCall,
} from '../inspection.types.js';
import type { ErrorFolder } from './error.folding.js';

/** The most entries of each list. */
const MOST = 100;

/** The text for a handler that is due, but is not called. */
export const OVERDUE_TEXT = 'The handler was not called, though it has been due for more than a minute.';

/** The most objects that are named for one error. */
const MOST_OBJECTS = 20;

/** A handler of an object that waits. There can be very many, of which few are shown. */
export type WaitingEntry = readonly [object: ObjectIdentity, progress: InspectedProgress];

/** Everything that is in work, waits, and fails, in any order. */
export interface NowEntries {
  readonly inWork: OngoingCall[];
  readonly waiting: WaitingEntry[];
  readonly failures: FailureGroups;
}

/** Sorts the present activity, cuts the lists, and adds how long they would be. */
export function listNow({ inWork, waiting, failures }: NowEntries, now: number): OperatorActivity {
  inWork.sort((one, other) => one.since - other.since);
  waiting.sort(([, one], [, other]) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
  return {
    now,
    inWork: inWork.slice(0, MOST),
    waiting: waiting.slice(0, MOST).map(([object, progress]): WaitingCall => ({ ...object, ...progress })),
    failing: failures.list().slice(0, MOST),
    totals: { inWork: inWork.length, waiting: waiting.length, failing: failures.size },
  };
}

/** A group that is being made. */
type Group = { -readonly [K in keyof FailureGroup]: FailureGroup[K] } & { objects: ObjectIdentity[] };

/** The failing objects in groups by handler and error. */
export class FailureGroups {
  private readonly groups = new Map<string, Group>();
  private readonly failing = new Set<string>();

  constructor(
    private readonly now: number,
    private readonly folder: ErrorFolder,
  ) {}

  /** The number of objects. */
  get size(): number {
    return this.failing.size;
  }

  /** @param failedAt when the last attempt has failed, if it is known. @default when the first one began */
  add(
    object: ObjectIdentity,
    { handler, startedAt }: Partial<Pick<InspectedProgress, 'handler' | 'startedAt'>>,
    error: string,
    failedAt?: number,
  ): void {
    this.failing.add(object.uid ?? `${object.resource}/${object.namespace}/${object.name}`);
    const folded = this.folder.fold(error, [object.name, object.namespace]);
    const key = `${handler ?? ''}\n${folded}`;
    const at = startedAt ?? this.now;
    const lastAt = failedAt ?? at;
    const group = this.groups.get(key);
    if (!group) {
      this.groups.set(key, { error: folded, handler, objects: [object], count: 1, firstAt: at, lastAt });
      return;
    }
    group.count += 1;
    group.firstAt = Math.min(group.firstAt, at);
    group.lastAt = Math.max(group.lastAt, lastAt);
    if (group.objects.length < MOST_OBJECTS) group.objects.push(object);
  }

  /** The groups, those of the most objects first. */
  list(): readonly FailureGroup[] {
    return [...this.groups.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt);
  }
}
