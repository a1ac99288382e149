import type { KubeObject } from '../../objects/kube-object.js';
import { ResourcePatch } from '../../objects/patches.js';
import { isMap } from 'kube-common';
import type { RecordedEvent } from '../records/event.recorder.js';

/** The condition that {@link KopfMatchers.toHaveCondition} expects; what is left out may be anything. */
export interface ExpectedCondition {
  readonly status?: string;
  readonly reason?: string | RegExp;
  readonly message?: string | RegExp;
  /** Other fields: `observedGeneration`. */
  readonly [field: string]: unknown;
}

/** The event that {@link KopfMatchers.toHaveEvent} expects; what is left out may be anything. */
export interface ExpectedEvent {
  readonly type?: string;
  readonly reason?: string | RegExp;
  readonly message?: string | RegExp;
}

/** The assertions that `expect.extend(kopfMatchers)` adds, in Vitest and in Jest alike. */
export interface KopfMatchers<Result = void> {
  /**
   * Expects a condition in the status: of an object, of a patch, or of what a handler has patched.
   *
   * @example
   * expect(await test.get(database)).toHaveCondition('Ready', 'True');
   * expect(context.patch).toHaveCondition('Ready', { status: 'False', reason: 'NoDisk' });
   */
  toHaveCondition(type: string, expected?: string | ExpectedCondition): Result;
  /**
   * Expects a Kubernetes event among those that were recorded.
   *
   * @example
   * expect(context).toHaveEvent('Created');
   * expect(test.events.of(database)).toHaveEvent({ type: 'Warning', message: /disk/ });
   */
  toHaveEvent(expected: string | ExpectedEvent): Result;
  /**
   * Expects that the object was patched: maps need have no more than the expected fields, and all else must be equal. Of several
   * patches, one must be so.
   *
   * @example
   * expect(context).toBePatchedWith({ status: { phase: 'Ready' } });
   * expect(test.patches.of(database)).toBePatchedWith({ metadata: { labels: { app: null } } });
   */
  toBePatchedWith(expected: object): Result;
  /**
   * Expects a finalizer of an object.
   *
   * @param finalizer is by default the operator's own one, unless the settings name another.
   */
  toHaveFinalizer(finalizer?: string): Result;
  /**
   * Expects that a simulation has found nothing; prints the report otherwise.
   *
   * @example
   * expect(await simulate(AppModule, { workload })).toHaveNoFindings();
   */
  toHaveNoFindings(): Result;
}

declare global {
  // Jest's own way for matchers of others, which Vitest supports, too.
  namespace jest {
    interface Matchers<R, T = {}> extends KopfMatchers<R> {}
  }
}

/** The part of the test runner that a matcher is called with. */
interface MatcherState {
  readonly isNot?: boolean;
  equals(one: unknown, other: unknown): boolean;
  readonly utils: { stringify(value: unknown): string };
}

/** The answer of a matcher to its test runner. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

/**
 * Assertions about objects, patches, and events, for `expect.extend()` of Vitest and Jest. Importing them declares their types.
 *
 * @example
 * import { kopfMatchers } from 'nestjs-kopf/testing';
 * expect.extend(kopfMatchers);
 */
export const kopfMatchers = {
  toHaveCondition(
    this: unknown,
    received: unknown,
    type: string,
    expected: string | ExpectedCondition = {},
  ): MatcherResult {
    const state = this as MatcherState;
    const wanted = typeof expected === 'string' ? { status: expected } : expected;
    const status = (asPatch(received) ?? (received as KubeObject | undefined))?.status as
      { conditions?: unknown } | undefined;
    const conditions = Array.isArray(status?.conditions) ? (status.conditions as Record<string, unknown>[]) : [];
    const found = conditions.find((condition) => condition.type === type);
    const pass = found !== undefined && matchesText(state, found, wanted);
    const about = `a condition '${type}'${isEmpty(wanted) ? '' : ` with ${print(state, wanted)}`}`;
    return answer(
      pass,
      describe(received),
      about,
      found ? ` ${print(state, found)}` : listOf(conditions, ({ type: other }) => String(other), 'conditions'),
    );
  },

  toHaveEvent(this: unknown, received: unknown, expected: string | ExpectedEvent): MatcherResult {
    const state = this as MatcherState;
    const wanted = typeof expected === 'string' ? { reason: expected } : expected;
    const events = eventsOf(received);
    const pass = events.some((event) => matchesText(state, { ...event }, wanted));
    const found = listOf(events, ({ type, reason, message }) => `${type} ${reason}: ${message}`, 'events');
    return answer(pass, 'the operator', `posted an event with ${print(state, wanted)}`, found);
  },

  toBePatchedWith(this: unknown, received: unknown, expected: object): MatcherResult {
    const state = this as MatcherState;
    const patches = patchesOf(received);
    const pass = patches.some((patch) => contains(state, patch, expected));
    const found = listOf(patches, (patch) => print(state, patch), 'patches');
    return answer(pass, 'the object', `been patched with ${print(state, expected)}`, found);
  },

  toHaveFinalizer(this: unknown, received: unknown, finalizer: string = FINALIZER): MatcherResult {
    const finalizers = (received as Partial<KubeObject> | undefined)?.metadata?.finalizers ?? [];
    const pass = finalizers.includes(finalizer);
    return answer(pass, describe(received), `the finalizer '${finalizer}'`, listOf(finalizers, String, 'finalizers'));
  },

  toHaveNoFindings(this: unknown, received: unknown): MatcherResult {
    const { findings } = (received ?? {}) as { readonly findings?: readonly unknown[] };
    if (!Array.isArray(findings)) throw new TypeError('toHaveNoFindings() is for reports of simulations.');
    const pass = findings.length === 0;
    return {
      pass,
      message: () => `Expected the simulation to find ${pass ? 'something' : 'nothing'}.\n${String(received)}`,
    };
  },
};

function answer(pass: boolean, subject: string, expectation: string, found: string): MatcherResult {
  return { pass, message: () => `Expected ${subject} ${pass ? 'not ' : ''}to have ${expectation}.\nFound:${found}` };
}

/** Compares like `toMatchObject()`, but a field that is expected must be there, also if it is `null`. */
function contains(state: MatcherState, received: unknown, expected: unknown): boolean {
  if (!isPlain(expected) || !isMap(received)) return state.equals(received, expected);
  return Object.entries(expected).every(([key, value]) => key in received && contains(state, received[key], value));
}

function matchesText(state: MatcherState, received: Readonly<Record<string, unknown>>, expected: object): boolean {
  return Object.entries(expected).every(([key, value]) =>
    value instanceof RegExp ? value.test(String(received[key])) : contains(state, received[key], value),
  );
}

/** Whether a value is a plain object, unlike the matchers of test runners, such as `expect.any(String)`, which are instances of classes. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return isMap(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

function asPatch(value: unknown): Record<string, unknown> | undefined {
  if (value instanceof ResourcePatch) return value.toMergePatch() ?? {};
  const { patch } = (value ?? {}) as { patch?: unknown };
  return patch instanceof ResourcePatch ? (patch.toMergePatch() ?? {}) : undefined;
}

function patchesOf(received: unknown): readonly unknown[] {
  const patch = asPatch(received);
  if (patch) return isEmpty(patch) ? [] : [patch];
  if (!isIterable(received)) return [received];
  return [...received].map((each) => asPatch(each) ?? (each as { body?: unknown }).body ?? each);
}

function eventsOf(received: unknown): readonly RecordedEvent[] {
  if (isIterable(received)) return [...received] as RecordedEvent[];
  const { events } = (received ?? {}) as { events?: unknown };
  return isIterable(events) ? ([...events] as RecordedEvent[]) : [];
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function describe(received: unknown): string {
  if (asPatch(received)) return 'the patch';
  const { kind, metadata } = (received ?? {}) as Partial<KubeObject>;
  return metadata?.name ? `${kind ?? 'the object'} '${metadata.name}'` : 'the object';
}

function print({ utils }: MatcherState, value: unknown): string {
  return utils.stringify(value).replaceAll(/\b(Object|Array) (?=[{[])/g, '');
}

function listOf<T>(items: readonly T[], format: (item: T) => string, plural: string): string {
  if (items.length === 0) return ` no ${plural}`;
  return items.map((item) => `\n${format(item)}`.replaceAll('\n', '\n  ')).join('');
}
