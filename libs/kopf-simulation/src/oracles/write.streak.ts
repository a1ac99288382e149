import { isMap, stringifyJson } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';

/** Milliseconds after which an operator that still writes is watched for repetitions. This is longer than faults last. */
const LONG = 600_000;
/** The number of times that an operator may bring an object into the same state from then on. */
const MOST_TIMES = 10;

/** The state of the framework itself on an object, which changes with each attempt of a handler. */
const BOOKKEEPING = /^kopf\.|\/(last-handled-configuration|kopf-managed|touch-dummy)$/;

/** Finds operators that write the same states of objects again and again. States are compared only once an operator takes long to come to rest. */
export class WriteStreak {
  private readonly times = new Map<string, number>();
  private begun = Infinity;
  private repeated?: string;

  /** Begins to wait until the operator is at rest. @param now the time, in milliseconds */
  begin(now: number): void {
    this.begun = now;
    this.times.clear();
    this.repeated = undefined;
  }

  /** Records a change of an object by the operator. @param isLoop whether the operator is in a hot loop, so that states are compared at once */
  note(now: number, isLoop: boolean, object: KubeObject, previous: KubeObject | undefined, name: () => string): void {
    if (!isLoop && now - this.begun < LONG) return;
    const state = stateOf(object);
    if (previous && stateOf(previous) === state) return;
    const key = `${object.metadata.uid} ${state}`;
    const times = (this.times.get(key) ?? 0) + 1;
    // A state that is new shows that the operator does something else than before.
    if (times === 1) this.repeated = undefined;
    this.times.set(key, times);
    if (times >= MOST_TIMES) this.repeated ??= name();
  }

  /** The object that the operator brings into the same states again and again, in words; `undefined` if there is none. */
  get repetition(): string | undefined {
    return this.repeated;
  }
}

/** Everything of an object that is neither decided on by the server nor the framework's own state. */
function stateOf({ metadata, status, ...fields }: KubeObject & { readonly status?: unknown }): string {
  const { labels, annotations = {}, finalizers, deletionTimestamp, ownerReferences } = metadata;
  const foreign = Object.entries(annotations).filter(([key]) => !BOOKKEEPING.test(key));
  const { kopf: _, ...reported } = isMap(status) ? status : {};
  return stringifyJson([fields, reported, labels, foreign, finalizers, deletionTimestamp, ownerReferences]);
}
