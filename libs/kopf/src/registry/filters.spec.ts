import { ABSENT, PRESENT } from '../contexts/filter-options.js';
import { ChangingCause } from '../contexts/changing.cause.js';
import { Reason } from '../contexts/reason.js';
import { FilterError, matches, prematches, allOf, anyOf, noneOf, not } from './filters.js';
import { diff } from '../objects/diffs.js';
import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { ResourcePatch } from '../objects/patches.js';
import type { ChangingHandler } from './handler.js';
import { type CauseOrigin, WatchingCause } from '../contexts/object.causes.js';

function origin(body: object): CauseOrigin {
  const resource = { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' } as CauseOrigin['resource'];
  const object = { metadata: {}, ...body };
  return {
    resource,
    body: object,
    patch: new ResourcePatch(),
    memory: { memo: {} },
    indices: {},
    logger: new MemoryLogger(),
  };
}

const event = (body: object): WatchingCause => {
  const common = origin(body);
  return new WatchingCause(common, { type: null, object: common.body });
};

const change = (before: object | undefined, after: object, reason: Reason = Reason.UPDATE): ChangingCause =>
  new ChangingCause(origin(after), { reason, initial: false, old: before, new: after, diff: diff(before, after) });

const handler = (filters: Partial<ChangingHandler>): ChangingHandler => ({
  id: 'fn',
  title: "Handler 'fn'",
  source: 'Op.fn',
  invoke: () => undefined,
  ...filters,
});

const field = ['spec', 'field'];
const spec = (value: unknown) => ({ spec: { field: value } });
const isString = (value: unknown) => typeof value === 'string';

describe('Filters of updates', () => {
  it.each<[Partial<ChangingHandler>, unknown, unknown, boolean, boolean]>([
    // filters, before, after; prematches, matches
    [{ field }, 'x', 'y', true, true],
    [{ field }, 'x', 'x', true, false],
    [{ field }, undefined, 'y', true, true],
    [{ field }, 'x', undefined, true, true],
    [{ field }, undefined, undefined, false, false],
    [{ field, value: 'x' }, 'x', 'y', true, true],
    [{ field, value: 'y' }, 'x', 'y', true, true],
    [{ field, value: 'z' }, 'x', 'y', false, false],
    [{ field, value: ABSENT }, 'x', undefined, true, true],
    [{ field, value: ABSENT }, 'x', 'y', false, false],
    [{ field, value: isString }, 1, 'y', true, true],
    [{ field, value: isString }, 1, 2, false, false],
    [{ field, old: 'x' }, 'x', 'y', true, true],
    [{ field, old: 'x' }, 'w', 'x', true, false],
    [{ field, new: 'x' }, 'w', 'x', true, true],
    [{ field, new: 'x' }, 'x', 'y', true, false],
    [{ field, old: 'x', new: 'y' }, 'x', 'y', true, true],
    [{ field, old: 'x', new: 'y' }, 'x', 'z', true, false],
    [{ field, old: ABSENT }, undefined, 'y', true, true],
    [{ field, old: PRESENT }, undefined, 'y', true, false],
    [{ field, new: ABSENT }, 'x', undefined, true, true],
    [{ field, new: isString }, 1, 'y', true, true],
    [{ field, old: isString }, 1, 'y', true, false],
    [{ field, value: { a: 1 } }, { a: 1 }, { a: 2 }, true, true],
    [{ field, value: true }, 1, 2, false, false],
    [{ field, value: null as never }, 'x', 'y', true, true],
  ])('should be decided for %j from %j to %j', (filters, before, after, prematching, matching) => {
    const updating = handler({ ...filters, fieldNeedsChange: true });
    const cause = change(spec(before), spec(after));
    expect([prematches(updating, cause), matches(updating, cause)]).toEqual([prematching, matching]);
  });
});

describe('Filters of other changes', () => {
  it.each<[Partial<ChangingHandler>, unknown, unknown, boolean]>([
    [{ field }, undefined, 'y', true],
    [{ field }, 'x', undefined, true],
    [{ field }, undefined, undefined, false],
    [{ field, value: 'x' }, 'x', 'y', true],
    [{ field, value: 'y' }, 'x', 'y', true],
    [{ field, value: 'z' }, 'x', 'y', false],
    [{ field, value: 'x' }, 'x', 'x', true],
    [{ field, value: ABSENT }, 'x', undefined, true],
    [{ field, value: ABSENT }, 'x', 'y', false],
    [{ field, value: isString }, 'x', 1, true],
    [{ field, value: isString }, 1, 2, false],
  ])('should look at both states, without a need of a change: %j from %j to %j', (filters, before, after, expected) => {
    for (const reason of [Reason.DELETE, Reason.RESUME, Reason.UPDATE]) {
      const cause = change(spec(before), spec(after), reason);
      expect(matches(handler(filters), cause)).toBe(expected);
      expect(prematches(handler(filters), cause)).toBe(expected);
    }
  });

  it.each<[Partial<ChangingHandler>, unknown, boolean]>([
    [{ field }, 'y', true],
    [{ field }, undefined, false],
    [{ field, value: 'y' }, 'y', true],
    [{ field, value: 'x' }, 'y', false],
    [{ field, value: ABSENT }, undefined, true],
    [{ field, value: ABSENT }, 'y', true],
    [{ field, value: (value: unknown) => value === undefined }, 'y', true],
  ])('should find no fields in the state before a creation: %j of %j', (filters, after, expected) => {
    const cause = change(undefined, spec(after), Reason.CREATE);
    expect(matches(handler(filters), cause)).toBe(expected);
    expect(prematches(handler(filters), cause)).toBe(expected);
  });

  it('should ask a callback about the state before only if that after does not match', () => {
    const asked: unknown[] = [];
    const note = (answer: boolean) => (value: unknown) => (asked.push(value), answer);
    const cause = change(spec('x'), spec('y'), Reason.DELETE);
    expect(matches(handler({ field, value: note(true) }), cause)).toBe(true);
    expect(asked).toEqual(['y']);
    expect(matches(handler({ field, value: note(false) }), cause)).toBe(false);
    expect(asked).toEqual(['y', 'y', 'x']);
  });
});

describe('Filters of events', () => {
  it.each<[object, boolean]>([
    [{ field }, true],
    [{ field, value: 'x' }, true],
    [{ field, value: 'y' }, false],
    [{ field: ['spec', 'none'] }, false],
    [{ field: ['spec', 'none'], value: ABSENT }, true],
    [{ field: ['metadata', 'labels', 'a.b/c'], value: '1' }, true],
    [{ labels: { 'a.b/c': '1' }, annotations: { none: ABSENT } }, true],
    [{ labels: { constructor: PRESENT } }, false],
    [{ labels: { constructor: ABSENT } }, true],
    [{ annotations: { none: PRESENT } }, false],
  ])('should look at the object: %j', (filters, expected) => {
    const cause = event({ ...spec('x'), metadata: { labels: { 'a.b/c': '1' } } });
    expect(matches(handler(filters), cause)).toBe(expected);
  });
});

describe('Callbacks of filters', () => {
  it('should get the value and the context, and the callback for the whole the context, last of all', () => {
    const calls: unknown[][] = [];
    const note =
      (result: boolean) =>
      (...args: unknown[]) => {
        calls.push(args);
        return result;
      };
    const cause = event({ ...spec('x'), metadata: { name: 'a', labels: { l: '1' } } });
    const filters = handler({
      when: note(true),
      labels: { l: note(true), none: note(true) },
      field,
      value: note(true),
    });
    expect(matches(filters, cause)).toBe(true);
    expect(calls).toEqual([
      ['1', cause.filterContext],
      [undefined, cause.filterContext],
      ['x', cause.filterContext],
      [cause.filterContext],
    ]);
    calls.length = 0;
    expect(matches({ ...filters, labels: { l: note(false) } }, cause)).toBe(false);
    expect(calls).toEqual([['1', cause.filterContext]]);
  });

  it('should be named by the handler if they throw', () => {
    const thrown = new Error('boom');
    const failing = handler({
      when: () => {
        throw thrown;
      },
    });
    const check = (): boolean => matches(failing, event({}));
    expect(check).toThrow(FilterError);
    expect(check).toThrow('A filter of Op.fn has failed: boom');
    try {
      check();
    } catch (error) {
      expect((error as Error).cause).toBe(thrown);
    }
  });
});

describe('The context of filters', () => {
  it('should have the parts of the object, and empty ones for those that it lacks', () => {
    const full = event({
      spec: { a: 1 },
      status: { b: 2 },
      metadata: { name: 'n', namespace: 'x', uid: 'u', labels: { l: '1' }, annotations: { m: '2' } },
    });
    const { spec: ownSpec, status, name, namespace, uid, labels, annotations, meta, type, memo } = full;
    expect({ ownSpec, status, name, namespace, uid, labels, annotations, type, memo }).toEqual({
      ownSpec: { a: 1 },
      status: { b: 2 },
      name: 'n',
      namespace: 'x',
      uid: 'u',
      labels: { l: '1' },
      annotations: { m: '2' },
      type: null,
      memo: {},
    });
    expect(meta).toBe(full.body.metadata);
    const empty = event({});
    expect([empty.spec, empty.status, empty.labels, empty.annotations]).toEqual([{}, {}, {}, {}]);
    expect([empty.name, empty.namespace, empty.uid]).toEqual(['', undefined, '']);
    expect(() => Object.assign(empty.spec as object, { x: 1 })).toThrow(TypeError);
  });

  it('should be of the field for handlers of a field', () => {
    const reduced = change(spec({ a: 1 }), spec({ a: 2 })).reducedTo(field);
    expect([reduced.old, reduced.new, reduced.diff]).toEqual([{ a: 1 }, { a: 2 }, [['change', ['a'], 1, 2]]]);
    expect(reduced.reason).toBe('update');
  });
});

describe('Filters', () => {
  it.each<[string, Partial<ChangingHandler>]>([
    ['when', { when: () => Promise.resolve(false) as never }],
    ['when', { when: () => Promise.reject(new Error('unhandled')) as never }],
    ['labels', { labels: { l: (() => Promise.resolve(false)) as never } }],
    ['value', { field: ['spec', 'x'], value: (() => Promise.resolve(false)) as never }],
  ])('should be refused with the name of the handler if they are asynchronous: %s', (_, filters) => {
    const cause = event({ spec: { x: 1 } });
    expect(() => matches(handler(filters), cause)).toThrow(
      'A filter of Op.fn has failed: it returned a promise, and filters must not be asynchronous',
    );
  });

  it.each<[unknown, boolean]>([
    [undefined, false],
    [null, false],
    [0, false],
    ['', false],
    ['text', true],
    [{}, true],
    [[], true],
  ])('should match by what their callback returns, as conditions do: %j', (answer, expected) => {
    expect(matches(handler({ when: () => answer as never }), event({}))).toBe(expected);
  });

  it('should take null for an option that is not given', () => {
    const filters = { field: ['spec', 'x'], fieldNeedsChange: true, value: null, old: null, new: null } as never;
    expect(matches(handler(filters), change({ spec: { x: 1 } }, { spec: { x: 2 } }))).toBe(true);
  });

  it('should find no labels in an object with null in their place', () => {
    const cause = event({ metadata: { labels: null, annotations: null } });
    expect(matches(handler({ labels: { l: ABSENT }, annotations: { n: ABSENT } }), cause)).toBe(true);
    expect(matches(handler({ labels: { l: PRESENT } }), cause)).toBe(false);
  });
});

describe('ChangingCause', () => {
  it.each([
    [{}, false],
    [{ deletionTimestamp: null }, false],
    [{ deletionTimestamp: '2020-12-31T23:59:59Z' }, true],
  ])('should know whether the object is being deleted: %j', (metadata, expected) => {
    expect(change({}, { metadata }).deleted).toBe(expected);
  });
});

describe('The combinators of filters', () => {
  const yes = (): boolean => true;
  const no = (): boolean => false;

  it.each([
    [allOf([]), true],
    [allOf([yes, yes]), true],
    [allOf([yes, no]), false],
    [anyOf([]), false],
    [anyOf([no, yes]), true],
    [anyOf([no, no]), false],
    [noneOf([]), true],
    [noneOf([no, no]), true],
    [noneOf([no, yes]), false],
    [not(yes), false],
    [not(no), true],
  ])('should combine: case %#', (filter, expected) => {
    expect(filter()).toBe(expected);
  });

  it.each([allOf, anyOf, noneOf, ([filter]: [() => boolean]) => not(filter)])(
    'should refuse asynchronous filters, which would always match: case %#',
    (combine) => {
      const later = (async () => false) as unknown as () => boolean;
      expect(combine([later])).toThrow('filters must not be asynchronous');
    },
  );

  it('should pass on all arguments, and ask no more than needed', () => {
    const seen: unknown[] = [];
    const note = (...args: unknown[]): boolean => {
      seen.push(args);
      return true;
    };
    expect(anyOf([note, note])('value', 'context')).toBe(true);
    expect(not(note)('value', 'context')).toBe(false);
    expect(noneOf([note, note])('value', 'context')).toBe(false);
    expect(seen).toEqual(Array(3).fill(['value', 'context']));
  });
});
