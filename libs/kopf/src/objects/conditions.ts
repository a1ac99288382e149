import type { KubeObject } from './kube-object.js';
import type { FieldTransformation } from './patch-content.js';
import { changesGenerationOnly } from './observed-generation.js';
import { formatTimestamp } from 'kube-common';

/** One condition of an object, as in `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** The reason for programs: a word in camel case, never empty. */
  readonly reason: string;
  /** The message for people: a sentence. */
  readonly message: string;
  /** The `metadata.generation` from which the condition was determined. */
  readonly observedGeneration?: number;
  /** The time of the last change of the status. */
  readonly lastTransitionTime: string;
}

/** A condition to be set; its generation and its time are added to it. */
export interface ConditionUpdate {
  readonly type: string;
  readonly status: Condition['status'] | boolean;
  /** @default the type */
  readonly reason?: string;
  /** @default an empty text */
  readonly message?: string;
}

/** The changes of the conditions of an object. */
export interface ConditionChanges {
  readonly set: readonly ConditionUpdate[];
  /** The types of the conditions to remove. */
  readonly remove?: readonly string[];
  /** Whether the object's `status.observedGeneration` is set, too. @default false */
  readonly observe?: boolean;
  /** The `metadata.generation` from which the conditions were determined. */
  readonly generation: number | undefined;
  /** The time of the transitions, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * Whether nothing is written if only observed generations would change. For kinds whose generation is raised by writes of the status,
   * where each write would lead to another one. @default false
   */
  readonly ignoresGeneration?: boolean;
}

/**
 * Creates the transformation that changes the conditions of the newest state of an object, and leaves those of other controllers as they
 * are.
 */
export function changeConditions(changes: ConditionChanges): FieldTransformation {
  const transformation = (body: KubeObject): void => {
    const before = (body.status ?? {}) as { conditions?: readonly Condition[]; observedGeneration?: number };
    const conditions = withConditions(before.conditions ?? [], changes);
    const observed = changes.observe && changes.generation !== undefined && { observedGeneration: changes.generation };
    const after = { ...before, conditions, ...observed };
    if (!changes.ignoresGeneration || !changesGenerationOnly(after, before)) body.status = after;
  };
  return Object.assign(transformation, { field: ['status'] });
}

/** Changes a list of conditions. Their order is kept, and so is the time of each one as long as its status is the same. */
export function withConditions(
  conditions: readonly Condition[],
  { set, remove = [], generation, now }: ConditionChanges,
): readonly Condition[] {
  const kept = conditions.filter(({ type }) => !remove.includes(type));
  for (const update of set) {
    const index = kept.findIndex(({ type }) => type === update.type);
    const condition = complete(update, kept[index], generation, now);
    if (index < 0) kept.push(condition);
    else kept[index] = condition;
  }
  return kept;
}

function complete(
  { type, status: given, reason = type, message = '' }: ConditionUpdate,
  before: Condition | undefined,
  generation: number | undefined,
  now: number,
): Condition {
  const status = typeof given === 'boolean' ? (given ? 'True' : 'False') : given;
  // API servers reject fractions of seconds in many kinds.
  const time = `${formatTimestamp(now).slice(0, 19)}Z`;
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return { type, status, reason, message, ...observed, lastTransitionTime };
}
