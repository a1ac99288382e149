import type { Resource } from '../../resources/resources.js';
import type { ObjectQuery } from '../inspection.types.js';
import { OVERDUE_TEXT } from '../objects/now.lists.js';
import { ErrorFolder } from '../objects/error.folding.js';
import { inspectClusterNow } from './observed.now.js';
import type { ObservedObject, ObservedProgress } from './observed.object.js';
import { ObservedObjects } from './observed.objects.js';
import { queryObjects } from './observed.query.js';

const NOW = 1_000_000_000;
const UNHELD = { operator: false, others: false };

function resource(plural: string, kind: string, group = 'example.com'): Resource {
  const none = { shortNames: [], categories: [], subresources: [], verbs: [] };
  return { group, version: 'v1', plural, kind, singular: '', namespaced: true, preferred: true, ...none };
}

const CLAIMS = resource('claims', 'Claim');
const OTHERS = resource('others', 'Other');

function object(name: string, rest: Partial<ObservedObject> = {}): ObservedObject {
  return { namespace: 'shop', name, uid: name, isHandled: true, progress: [], heldBy: UNHELD, ...rest };
}

function waiting(seconds: number, rest: Partial<ObservedProgress> = {}): ObservedProgress {
  return { handler: 'create', attempts: 1, startedAt: NOW - 5000, dueAt: NOW + seconds * 1000, ...rest };
}

const OBJECTS: readonly ObservedObject[] = [
  object('idle', { changedAt: NOW - 1 }),
  object('waits', { progress: [waiting(20)] }),
  object('fails-2', { progress: [waiting(10, { attempts: 4, error: 'no disk 7 for fails-2' })], changedAt: NOW - 3 }),
  object('fails-1', { progress: [waiting(30, { attempts: 2, error: 'no disk 12 for fails-1' })] }),
  object('works', { progress: [{ handler: 'update', attempts: 0, startedAt: NOW - 50 }] }),
  object('leaves', { namespace: 'bank', deletingSince: NOW - 5, heldBy: { operator: true, others: false } }),
  object('stuck', { progress: [waiting(-600)] }),
  object('failed', { failure: { handler: 'create', error: 'no way', at: NOW - 9 } }),
];

function collect(objects: readonly ObservedObject[]): ObservedObjects {
  const collection = new ObservedObjects();
  collection.add(CLAIMS, false);
  for (const each of objects) collection.put(CLAIMS, each);
  return collection;
}

describe('ObservedObjects', () => {
  it('should show objects of a resource as soon as an operator has handled one of them', () => {
    const objects = collect([object('new', { isHandled: false })]);
    expect(objects.list()).toEqual([]);
    objects.put(CLAIMS, object('web'));
    expect(objects.list().map((entry) => entry.object.name)).toEqual(['new', 'web']);
    objects.put(CLAIMS, object('web', { isHandled: false }));
    expect(objects.resources()).toEqual([]);
  });

  it('should show objects of resources that are asked for', () => {
    const objects = collect([]);
    objects.add(OTHERS, true);
    objects.put(OTHERS, object('new', { isHandled: false }));
    expect(objects.resources()).toEqual([{ resource: OTHERS, objects: 1 }]);
  });

  it('should tell the state before, but not that of an earlier object of the same name', () => {
    const objects = collect([object('web', { uid: '1' })]);
    expect(objects.put(CLAIMS, object('web', { uid: '1' }))).toMatchObject({ uid: '1' });
    expect(objects.put(CLAIMS, object('web', { uid: '2' }))).toBeUndefined();
    expect(objects.delete(CLAIMS, { namespace: 'shop', name: 'web' })).toMatchObject({ uid: '2' });
    expect(objects.list()).toEqual([]);
  });

  it('should keep the order when objects come and go', () => {
    const objects = collect([object('c'), object('a'), object('e')]);
    const names = () => objects.list().map((entry) => entry.object.name);
    expect(names()).toEqual(['a', 'c', 'e']);
    for (const name of ['d', 'b', 'f']) objects.put(CLAIMS, object(name));
    objects.delete(CLAIMS, { namespace: 'shop', name: 'c' });
    expect(names()).toEqual(['a', 'b', 'd', 'e', 'f']);
    objects.add(OTHERS, true);
    objects.put(OTHERS, object('d'));
    expect(
      objects
        .list()
        .map(({ resourceName }) => resourceName)
        .slice(2, 4),
    ).toEqual(['claims.example.com', 'others.example.com']);
    objects.remove(CLAIMS);
    expect(names()).toEqual(['d']);
  });

  it('should show the present state in a list that was made before', () => {
    const objects = collect([object('web')]);
    const [entry] = objects.list();
    objects.put(CLAIMS, object('web', { changedAt: NOW }));
    expect(entry.object.changedAt).toBe(NOW);
  });
});

describe('queryObjects', () => {
  const collection = collect(OBJECTS);
  const names = (query: ObjectQuery): readonly string[] =>
    queryObjects(collection, query, NOW).items.map(({ name }) => name);

  it.each<[ObjectQuery, readonly string[]]>([
    [{}, ['leaves', 'failed', 'fails-1', 'fails-2', 'idle', 'stuck', 'waits', 'works']],
    [{ offset: 2, limit: 2 }, ['fails-1', 'fails-2']],
    [{ namespace: 'bank' }, ['leaves']],
    [{ resource: 'others.example.com' }, []],
    [{ phase: 'failing' }, ['fails-1', 'fails-2']],
    [{ handler: 'update' }, ['works']],
    [{ retries: 2 }, ['fails-1', 'fails-2']],
    [{ deleting: true }, ['leaves']],
    [{ stuck: true }, ['stuck']],
    [{ search: 'SHOP/FAIL' }, ['failed', 'fails-1', 'fails-2']],
    [{ search: 'KS' }, ['works']],
    [{ phase: 'failing', search: '2' }, ['fails-2']],
    [{ sort: '-name', limit: 2 }, ['works', 'waits']],
    [{ sort: 'phase' }, ['stuck', 'failed', 'fails-1', 'fails-2', 'leaves', 'waits', 'works', 'idle']],
    [{ sort: 'phase', phase: 'idle' }, ['idle']],
    [{ sort: '-retries', limit: 3 }, ['fails-2', 'fails-1', 'stuck']],
    [{ sort: 'retries', retries: 1, limit: 2 }, ['stuck', 'waits']],
    [{ sort: 'due', limit: 3 }, ['stuck', 'fails-2', 'waits']],
    [{ sort: '-due', retries: 1, limit: 2 }, ['fails-1', 'waits']],
    [{ sort: '-changed', limit: 3 }, ['idle', 'fails-2', 'leaves']],
    [{ sort: 'changed', limit: 3 }, ['fails-2', 'idle', 'leaves']],
  ])('should answer %j', (query, expected) => {
    expect(names(query)).toEqual(expected);
  });

  it('should describe an object as a row', () => {
    expect(queryObjects(collection, { search: 'fails-2' }, NOW)).toEqual({
      total: 1,
      offset: 0,
      items: [
        {
          resource: 'claims.example.com',
          kind: 'Claim',
          namespace: 'shop',
          name: 'fails-2',
          uid: 'fails-2',
          phase: 'failing',
          retries: 4,
          handlers: ['create'],
          dueAt: NOW + 10_000,
          error: 'no disk 7 for fails-2',
          deleting: false,
          changedAt: NOW - 3,
        },
      ],
    });
  });
});

describe('inspectNow', () => {
  it('should tell what is in work, waits, and fails for the same reason', () => {
    const {
      inWork,
      waiting: later,
      failing,
      totals,
    } = inspectClusterNow(collect(OBJECTS).active(), new ErrorFolder(), NOW);
    expect(inWork.map(({ name, handler, attempt, since }) => [name, handler, attempt, since])).toEqual([
      ['works', 'update', 1, NOW - 50],
    ]);
    expect(later.map(({ name, dueAt }) => [name, dueAt])).toEqual([
      ['stuck', NOW - 600_000],
      ['fails-2', NOW + 10_000],
      ['waits', NOW + 20_000],
      ['fails-1', NOW + 30_000],
    ]);
    expect(failing).toMatchObject([
      { kind: 'failed', error: 'no way', handler: 'create', count: 1, lastAt: NOW - 9 },
      { kind: 'stuck', error: OVERDUE_TEXT, handler: 'create', count: 1, objects: [{ name: 'stuck' }] },
      { kind: 'retrying', error: 'no disk … for …', handler: 'create', count: 2, lastAt: NOW - 3 },
    ]);
    expect(failing[2].objects.map(({ name }) => name)).toEqual(['fails-1', 'fails-2']);
    expect(totals).toEqual({ inWork: 1, waiting: 4, failing: 4, failed: 1, stuck: 1 });
  });
});
