import { SeededRandom, VirtualClock } from '../../../testing/index.js';
import { KnownObjects, type KnownObject } from '../../../client/watch/known.objects.js';
import type { Resource } from '../../../resources/resources.js';
import type { InspectedObject, InspectedPage, ObjectQuery } from '../../inspection.types.js';
import { compareObjects, cutPage, matchActivity, matchName } from '../../objects/object.query.js';
import { ObjectCatalog } from './object.catalog.js';
import { ObjectHistories } from '../history/object.histories.js';
import type { ObjectState } from './object.states.js';
import { OperatorConcealment } from '../operator.concealment.js';

const NAMES = { singular: '', shortNames: [], categories: [], subresources: [], preferred: true, verbs: [] };
const THINGS: Resource = {
  ...NAMES,
  group: 'kopf.dev',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
};
const PARTS: Resource = { ...NAMES, group: '', version: 'v1', plural: 'parts', kind: 'Part', namespaced: true };

/** Objects that are known, some of which are not idle. */
class KnownWorld {
  readonly things = new KnownObjects();
  readonly parts = new KnownObjects();
  readonly states = new Map<string, ObjectState>();
  readonly histories = new ObjectHistories({ perObject: 10, objects: 1000 });
  readonly random = new SeededRandom(7);
  readonly catalog: ObjectCatalog;

  constructor() {
    const watchers = {
      all: [
        { resource: THINGS, objects: this.things },
        { resource: PARTS, objects: this.parts },
      ],
    };
    const concealment = new OperatorConcealment({ redaction: { fields: [] } }, []);
    const states = { all: () => this.states };
    const clock = new VirtualClock();
    this.catalog = new ObjectCatalog(watchers as never, states as never, this.histories, concealment, clock);
  }

  pick(count: number): number {
    return Math.floor(this.random.next() * count);
  }

  add(): void {
    const uid = `uid-${this.pick(1e9)}`;
    const name = `object-${this.pick(10_000)}`;
    const deletionTimestamp = this.pick(10) === 0 ? '2030-01-01T00:00:00Z' : undefined;
    const known = this.pick(2) === 0 ? this.things : this.parts;
    known.add({ uid, name, namespace: `ns-${this.pick(3)}`, deletionTimestamp });
    if (this.pick(4) === 0) this.histories.recordState(uid, { metadata: { resourceVersion: '1' } }, this.pick(1e6));
    if (this.pick(4) > 0) return;
    const phase = (['failing', 'waiting', 'failed', 'stuck', 'inWork'] as const)[this.pick(5)];
    const progress = [{ handler: 'create', state: 'waiting' as const, attempts: this.pick(5), dueAt: this.pick(100) }];
    this.states.set(uid, { phase, progress });
  }

  delete({ uid, name, namespace }: KnownObject): void {
    this.parts.add({ uid, name, namespace, deletionTimestamp: '2030-01-01T00:00:00Z' });
  }

  /** All objects as the catalog shows them, without its ways to do this quickly. */
  all(): readonly InspectedObject[] {
    const show = (resource: Resource, known: KnownObjects) =>
      [...known.values()].map((each) => this.catalog.show(resource, each, this.states.get(each.uid!)));
    return [...show(THINGS, this.things), ...show(PARTS, this.parts)];
  }
}

const QUERIES: readonly ObjectQuery[] = [
  {},
  { resource: 'parts' },
  { resource: 'things.kopf.dev', namespace: 'ns-1', search: '7' },
  { search: 'NS-2/object-1' },
  { phase: 'idle' },
  { phase: 'failing' },
  { phase: 'deleting' },
  { deleting: true },
  { deleting: false },
  { stuck: true },
  { stuck: false },
  { handler: 'create', retries: 3 },
  ...(['phase', 'retries', 'due', 'changed'] as const).flatMap((sort) => [{ sort }, { sort: `-${sort}` as const }]),
  { sort: '-name', deleting: true },
  { sort: '-name' },
  { sort: '-due', phase: 'idle', resource: 'parts' },
  { sort: '-changed', resource: 'parts' },
  { sort: '-changed', namespace: 'ns-1' },
  { sort: '-name', search: '3' },
];

/** Selects and sorts in the plainest way, by looking at all objects. */
function selectObjects(objects: Iterable<InspectedObject>, query: ObjectQuery): InspectedPage<InspectedObject> {
  const [isNamed, isActive] = [matchName(query), matchActivity(query)];
  const { resource } = query;
  const found = [...objects].filter(
    (object) => (resource === undefined || object.resource === resource) && isNamed(object) && isActive(object),
  );
  return cutPage(found.sort(compareObjects(query)), query, (object) => object);
}

describe('The catalog of objects', () => {
  it('should answer all queries as if it looked at each object, also when objects come and go', () => {
    const world = new KnownWorld();
    for (const count of [60, 5, 60, 0, 3]) {
      for (let index = 0; index < count; index++) world.add();
      for (const known of [...world.things.values()].slice(0, count / 2)) world.things.remove({ ...known });
      for (const known of [...world.parts.values()].slice(0, 3)) world.delete(known);
      expect(world.catalog.countDeleting()).toBe(world.all().filter(({ deleting }) => deleting).length);
      for (const query of QUERIES) {
        for (const part of [{ limit: 500 }, { offset: 7, limit: 13 }, { offset: 1, limit: 3 }]) {
          const { total, items } = world.catalog.query({ ...query, ...part });
          const expected = selectObjects(world.all(), { ...query, ...part });
          expect(total, JSON.stringify(query)).toBe(expected.total);
          expect(items, JSON.stringify({ ...query, ...part })).toEqual(expected.items);
        }
      }
    }
  });

  it('should have the largest values first where the order begins with a minus, and objects without a value last', () => {
    const world = new KnownWorld();
    for (const [index, name] of ['never', 'first', 'last'].entries()) {
      world.things.add({ uid: name, name });
      if (index > 0) world.histories.recordState(name, { metadata: { resourceVersion: '1' } }, index);
      const progress = [
        { handler: 'create', state: 'waiting' as const, attempts: index, ...(index > 0 && { dueAt: index }) },
      ];
      world.states.set(name, { phase: 'failing', progress });
    }
    const order = (sort: ObjectQuery['sort']) => world.catalog.query({ sort }).items.map(({ name }) => name);
    expect(order('-changed')).toEqual(['last', 'first', 'never']);
    expect(order('changed')).toEqual(['first', 'last', 'never']);
    expect(order('-due')).toEqual(['last', 'first', 'never']);
    expect(order('due')).toEqual(['first', 'last', 'never']);
    expect(order('-retries')).toEqual(['last', 'first', 'never']);
    expect(order('retries')).toEqual(['never', 'first', 'last']);
  });

  it('should give at most 500 objects at once', () => {
    const world = new KnownWorld();
    for (let index = 0; index < 600; index++) world.add();
    const { total, items } = world.catalog.query({ limit: 10_000 });
    expect([total, items.length]).toEqual([600, 500]);
  });
});
