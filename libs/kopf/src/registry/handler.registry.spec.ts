import { EVERYTHING } from '../resources/resource-criteria.js';
import type { Resource } from '../resources/resources.js';
import { ObjectSelector } from '../resources/object-selector.js';
import { parseSelector } from '../resources/selectors.js';
import type { ChangingHandler, Handler } from './handler.js';
import { HandlerRegistry } from './handler.registry.js';

const resource = (plural: string, group = 'kopf.dev'): Resource => ({
  group,
  version: 'v1',
  plural,
  singular: plural.slice(0, -1),
  kind: plural,
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  subresources: [],
  preferred: true,
});

const handler = (id: string, fields: Partial<ChangingHandler> = {}): ChangingHandler & Handler => ({
  id,
  title: `Handler '${id}'`,
  source: `Op.${id}`,
  invoke: () => undefined,
  selector: parseSelector(['kopf.dev', 'v1', 'examples']),
  ...fields,
});

const EXAMPLES = resource('examples');
const OTHERS = resource('others');

describe('HandlerRegistry', () => {
  it('should find the handlers of a resource by all selectors that mean it, once', () => {
    const registry = new HandlerRegistry();
    registry.addChanging(handler('specific'));
    registry.addChanging(handler('everything', { selector: parseSelector([EVERYTHING]) }));
    registry.addChanging(handler('other', { selector: parseSelector(['others']) }));
    registry.addWatching(handler('event'));
    const found = registry.handlersOf(EXAMPLES);
    expect(found.changing.map(({ id }) => id)).toEqual(['specific', 'everything']);
    expect(found.watching.map(({ id }) => id)).toEqual(['event']);
    expect(registry.handlersOf(EXAMPLES)).toBe(found);
    expect(registry.handlersOf(OTHERS).changing.map(({ id }) => id)).toEqual(['everything', 'other']);
  });

  it('should own a handler once, however often it was decorated, and know the fields of all', () => {
    const registry = new HandlerRegistry();
    const invoke = (): void => undefined;
    registry.addChanging(handler('fn', { invoke, reason: 'create' }));
    registry.addChanging(handler('fn', { invoke, reason: 'update' }));
    registry.addChanging(handler('fn', { reason: 'delete' }));
    registry.addChanging(handler('field', { field: ['status', 'x'] }));
    registry.addWatching(handler('event', { field: ['status', 'x'] }));
    registry.addSpawning({ ...handler('timer', { field: ['status', 'y'] }), kind: 'timer', idle: 1 });
    const { owned, changing, extraFields, hasIdling } = registry.handlersOf(EXAMPLES);
    expect(changing).toHaveLength(4);
    expect(owned.map(({ id, reason }) => `${id} ${reason}`)).toEqual(['fn create', 'fn delete', 'field undefined']);
    expect(extraFields).toEqual([
      ['status', 'x'],
      ['status', 'y'],
    ]);
    expect(hasIdling).toBe(true);
    expect(registry.handlersOf(OTHERS).hasIdling).toBe(false);
  });

  it('should know what is to be watched, and what is to be patched', () => {
    const registry = new HandlerRegistry();
    registry.addWatching(handler('event', { selector: parseSelector(['others']) }));
    registry.addChanging(handler('a'));
    registry.addChanging(handler('b'));
    registry.addSpawning({ ...handler('daemon', { selector: parseSelector(['third']) }), kind: 'daemon' });
    expect(registry.selectors()).toHaveLength(3);
    expect(registry.requiresPatching(EXAMPLES)).toBe(true);
    expect(registry.requiresPatching(OTHERS)).toBe(false);
    expect(registry.requiresPatching(resource('third'))).toBe(true);
  });

  it('should know the handlers of the operator itself by the kind of activity', () => {
    const registry = new HandlerRegistry();
    const begin = handler('begin');
    registry.addActivity({ ...begin, activity: 'startup' });
    registry.addActivity({ ...begin, activity: 'startup' });
    registry.addActivity({ ...handler('end'), activity: 'cleanup' });
    expect(registry.activitiesOf('startup').map(({ id }) => id)).toEqual(['begin']);
    expect(registry.activitiesOf('cleanup').map(({ id }) => id)).toEqual(['end']);
  });

  it('should describe all handlers', () => {
    const registry = new HandlerRegistry();
    registry.addActivity({ ...handler('begin', { selector: undefined }), activity: 'startup' });
    registry.addWatching(handler('event'));
    registry.addChanging(handler('create', { reason: 'create' }));
    registry.addSpawning({ ...handler('daemon'), kind: 'daemon' });
    registry.addSpawning({ ...handler('timer'), kind: 'timer' });
    registry.addIndexing(handler('index'));
    const selector = String(parseSelector(['kopf.dev', 'v1', 'examples']));
    expect(registry.describe()).toEqual([
      { kind: 'activity', id: 'begin', source: 'Op.begin' },
      { kind: 'watching', id: 'event', source: 'Op.event', selector },
      { kind: 'changing', id: 'create', source: 'Op.create', selector, reason: 'create' },
      { kind: 'daemon', id: 'daemon', source: 'Op.daemon', selector },
      { kind: 'timer', id: 'timer', source: 'Op.timer', selector },
      { kind: 'index', id: 'index', source: 'Op.index', selector },
    ]);
  });

  it('should leave to the server what all handlers require, and check the rest', () => {
    const registry = new HandlerRegistry();
    const selected = (id: string, labels: string): ChangingHandler & Handler =>
      handler(id, { objectSelector: ObjectSelector.parse({ labels }) });
    registry.addChanging(selected('one', 'app=web,tier=a'));
    registry.addSpawning({ ...selected('two', 'app=web'), kind: 'daemon' });
    expect(registry.handlersOf(EXAMPLES).commonSelector?.labelSelector).toBe('app=web');
    expect(registry.handlersOf(EXAMPLES).changing[0].objectSelector?.labelSelector).toBe('tier=a');
    expect(registry.handlersOf(EXAMPLES).spawning[0].objectSelector).toBeUndefined();
    expect(registry.handlersOf({ ...OTHERS }).commonSelector).toBeUndefined();
  });

  it('should have everything watched if any handler is for all objects', () => {
    const registry = new HandlerRegistry();
    registry.addChanging(handler('one', { objectSelector: ObjectSelector.parse({ labels: 'app=web' }) }));
    registry.addWatching(handler('all'));
    expect(registry.handlersOf(EXAMPLES).commonSelector).toBeUndefined();
    expect(registry.handlersOf(EXAMPLES).changing[0].objectSelector?.labelSelector).toBe('app=web');
  });
});
