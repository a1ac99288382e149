import type {
  FailureGroup,
  FailureKind,
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

/** The text for a handler that does not return. */
export const NOT_RETURNED_TEXT =
  'The handler was called more than a minute ago, and has not returned: nothing else is done for its object until it does.';

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
    totals: {
      inWork: inWork.length,
      waiting: waiting.length,
      failing: failures.size,
      failed: failures.count('failed'),
      stuck: failures.count('stuck'),
    },
  };
}

/** A group that is being made. */
type Group = { -readonly [K in keyof FailureGroup]: FailureGroup[K] } & { objects: ObjectIdentity[] };

/** The failing objects in groups by handler and error. */
export class FailureGroups {
  private readonly groups = new Map<string, Group>();
  /** The objects with what fails on them. */
  private readonly failing = new Map<string, Set<FailureKind>>();

  constructor(private readonly folder: ErrorFolder) {}

  /** The number of objects. */
  get size(): number {
    return this.failing.size;
  }

  /** The number of objects with a failure of this kind. */
  count(kind: FailureKind): number {
    let count = 0;
    for (const kinds of this.failing.values()) if (kinds.has(kind)) count += 1;
    return count;
  }

  /** @param failedAt when the last attempt has failed; absent if it is not known. */
  add(
    kind: FailureKind,
    object: ObjectIdentity,
    { handler, startedAt }: Partial<Pick<InspectedProgress, 'handler' | 'startedAt'>>,
    error: string,
    failedAt?: number,
  ): void {
    const id = object.uid ?? `${object.resource}/${object.namespace}/${object.name}`;
    this.failing.set(id, (this.failing.get(id) ?? new Set()).add(kind));
    const folded = this.folder.fold(error, [object.name, object.namespace]);
    const key = `${kind}\n${handler ?? ''}\n${folded}`;
    const firstAt = startedAt ?? failedAt;
    const group = this.groups.get(key);
    if (!group) {
      this.groups.set(key, { kind, error: folded, handler, objects: [object], count: 1, firstAt, lastAt: failedAt });
      return;
    }
    group.count += 1;
    group.firstAt = ofBoth(Math.min, group.firstAt, firstAt);
    group.lastAt = ofBoth(Math.max, group.lastAt, failedAt);
    if (group.objects.length < MOST_OBJECTS) group.objects.push(object);
  }

  /** The groups: permanent failures first, and those of the most objects. */
  list(): readonly FailureGroup[] {
    return [...this.groups.values()].sort(
      (one, other) =>
        KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
        other.count - one.count ||
        (other.lastAt ?? 0) - (one.lastAt ?? 0),
    );
  }
}

/** The kinds of failures, the one that needs attention most first. */
const KINDS: readonly FailureKind[] = ['failed', 'stuck', 'retrying'];

/** Returns the smaller or the greater of two times, of which one or both may not be known. */
function ofBoth(choose: typeof Math.min, one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : choose(one, other);
}
