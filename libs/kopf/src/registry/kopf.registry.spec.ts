import type { Resource } from '../interfaces/resource.interface.js';
import { parseSelector } from '../structs/selectors.js';
import type { BackgroundHandler, IndexingHandler } from './handler.js';
import { KopfRegistry } from './kopf.registry.js';

describe('KopfRegistry', () => {
  const kex: Resource = {
    group: 'kopf.dev',
    version: 'v1',
    plural: 'kopfexamples',
    kind: 'KopfExample',
    singular: 'kopfexample',
    shortNames: [],
    categories: [],
    subresources: [],
    namespaced: true,
    preferred: true,
    verbs: ['list', 'watch', 'patch'],
  };
  const pods: Resource = { ...kex, group: '', plural: 'pods', kind: 'Pod', singular: 'pod' };
  const invoke = (): void => undefined;
  const base = (id: string, name: string) => ({
    id,
    title: id,
    source: `Operator.${id}`,
    invoke,
    selector: parseSelector([name]),
  });
  const timer = (id: string, more: object = {}): BackgroundHandler => ({
    ...base(id, 'kopfexamples'),
    kind: 'timer',
    ...more,
  });
  const index = (id: string, more: object = {}): IndexingHandler => ({ ...base(id, 'pods'), ...more });

  let registry: KopfRegistry;

  beforeEach(() => {
    registry = new KopfRegistry();
  });

  it('should find daemons, timers, and indices by their resources', () => {
    registry.addSpawning({ ...base('d', 'kopfexamples'), kind: 'daemon' });
    registry.addSpawning(timer('t'));
    registry.addIndexing(index('idx'));
    expect(registry.handlersOf(kex).spawning.map(({ id }) => id)).toEqual(['d', 't']);
    expect(registry.handlersOf(kex).indexing).toEqual([]);
    expect(registry.handlersOf(pods).indexing.map(({ id }) => id)).toEqual(['idx']);
    expect(registry.selectors().map(String)).toHaveLength(2);
  });

  it('should need to patch the objects of daemons and timers, for their finalizer, but not those of indices', () => {
    registry.addSpawning(timer('t'));
    registry.addIndexing(index('idx'));
    expect([registry.requiresPatching(kex), registry.requiresPatching(pods)]).toEqual([true, false]);
  });

  it('should take the fields of daemons and timers into the essence, but not those of indices', () => {
    registry.addSpawning(timer('t', { field: ['status', 'a'] }));
    registry.addIndexing(index('idx', { field: ['status', 'b'] }));
    expect(registry.handlersOf(kex).extraFields).toEqual([['status', 'a']]);
    expect(registry.handlersOf(pods).extraFields).toEqual([]);
  });

  it('should know whether any timer idles', () => {
    registry.addSpawning(timer('t'));
    expect(registry.handlersOf(kex).hasIdling).toBe(false);
    const other = new KopfRegistry();
    other.addSpawning(timer('t', { idle: 5 }));
    expect(other.handlersOf(kex).hasIdling).toBe(true);
  });

  it('should index once by a method that is decorated twice for the same resource', () => {
    registry.addIndexing(index('idx'));
    registry.addIndexing({ ...index('idx'), selector: parseSelector(['v1', 'pods']) });
    expect(registry.handlersOf(pods).indexing).toHaveLength(1);
  });

  it('should describe daemons, timers, and indices', () => {
    registry.addSpawning(timer('t'));
    registry.addIndexing(index('idx'));
    expect(registry.describe().map(({ kind, id, source }) => [kind, id, source])).toEqual([
      ['timer', 't', 'Operator.t'],
      ['index', 'idx', 'Operator.idx'],
    ]);
  });
});
