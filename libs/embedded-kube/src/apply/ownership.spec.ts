import { printPath } from './path.element.js';
import { customType } from './custom.type.js';
import { FieldSet } from './field.set.js';
import { type Manager, type Owners } from './managed.fields.js';
import { applyConfiguration, type Ground, updateOwners } from './ownership.js';

const text = { type: 'string' };
const ground: Ground = {
  type: customType({
    properties: {
      a: text,
      b: text,
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      object: { type: 'object', properties: { x: text, y: text } },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: text, v: text } },
      },
      status: text,
    },
  }),
  ignored: FieldSet.of([['f:status']]),
  unowned: FieldSet.of([['f:kind']]),
  skipped: FieldSet.of([['f:kind'], ['f:status']]),
};
const manager = (name: string, operation: Manager['operation'] = 'Apply'): Manager => ({
  name,
  operation,
  apiVersion: 'v1',
});

/** An object and its owners, through several writes. */
class Story {
  value: unknown = {};
  owners: Owners = new Map();
  conflicts: string[] = [];
  private time = 0;

  apply(name: string, configuration: object): this {
    const done = applyConfiguration(this.value, configuration, this.owners, manager(name), String(++this.time), ground);
    this.value = done.value ?? this.value;
    this.owners = done.owners;
    this.conflicts = done.conflicts.flatMap((each) => print(each.fields).map((path) => `${each.manager.name}${path}`));
    return this;
  }

  update(name: string, value: object): this {
    const time = String(++this.time);
    this.owners = updateOwners(this.value, value, this.owners, manager(name, 'Update'), time, ground);
    this.value = value;
    return this;
  }

  get owned(): Record<string, string> {
    const entries = [...this.owners.values()].map((each) => [each.manager.name, print(each.fields).join(' ')]);
    return Object.fromEntries(entries) as Record<string, string>;
  }

  timeOf(name: string): string | undefined {
    return [...this.owners.values()].find((each) => each.manager.name === name)?.time;
  }
}

const print = (fields: FieldSet): string[] => [...fields.paths()].map(printPath);

describe('applying', () => {
  it('should own what is applied, but for what nobody owns and what the path does not change', () => {
    const story = new Story().apply('m', { kind: 'K', a: '1', status: 's' });
    expect(story.owned).toEqual({ m: '.a' });
  });

  it('should share what several want to be the same', () => {
    const story = new Story().apply('m', { kind: 'K', a: '1' }).apply('n', { a: '1' });
    expect(story.conflicts).toEqual([]);
    expect(story.owned).toEqual({ m: '.a', n: '.a' });
    expect(story.apply('m', { kind: 'K' }).value).toEqual({ kind: 'K', a: '1' });
    expect(story.owned).toEqual({ n: '.a' });
    expect(story.apply('n', { kind: 'K' }).value).toEqual({ kind: 'K' });
  });

  it('should name the conflicts, and take over what it changes', () => {
    const story = new Story().apply('m', { a: '1', b: '1' }).apply('n', { a: '2' });
    expect(story.conflicts).toEqual(['m.a']);
    expect(story.owned).toEqual({ m: '.b', n: '.a' });
  });

  it('should take away what it no longer applies', () => {
    const story = new Story().apply('m', { a: '1', b: '1', set: ['x', 'y'], object: { x: '1', y: '1' } });
    story.apply('m', { b: '1', set: ['y'], object: { x: '1' } });
    expect(story.value).toEqual({ b: '1', set: ['y'], object: { x: '1' } });
  });

  it('should leave inside of an item what others own, and what nobody applied', () => {
    const story = new Story().apply('m', { map: [{ k: '1' }, { k: '2' }] });
    story.apply('n', { map: [{ k: '1', v: '1' }] }).apply('m', {});
    expect(story.value).toEqual({ map: [{ k: '1', v: '1' }] });
    expect(story.owned).toEqual({ n: '.map[k="1"] .map[k="1"].k .map[k="1"].v' });
  });

  it('should note the time of changes alone', () => {
    const story = new Story().apply('m', { a: '1' }).apply('n', { a: '1' }).apply('m', { a: '1' });
    expect([story.timeOf('m'), story.timeOf('n')]).toEqual(['1', undefined]);
    expect(story.apply('m', { a: '2' }).timeOf('m')).toBe('4');
  });
});

describe('updating', () => {
  it('should take what it changes from others', () => {
    const story = new Story().apply('m', { a: '1', b: '1' }).update('u', { a: '2', b: '1', object: { x: '1' } });
    expect(story.owned).toEqual({ m: '.b', u: '.a .object .object.x' });
  });

  it('should own nothing of what stays as it is, and forget what goes', () => {
    const story = new Story().apply('m', { a: '1', b: '1' }).update('u', { a: '1' });
    expect(story.owned).toEqual({ m: '.a' });
    expect(story.update('u', {}).owned).toEqual({});
  });

  it('should keep what it changed before', () => {
    const story = new Story()
      .apply('m', { set: ['x'] })
      .update('u', { set: ['x'], a: '1' })
      .update('u', { set: ['x'], a: '1', b: '2' });
    expect(story.owned).toEqual({ m: '.set[="x"]', u: '.a .b' });
    expect(story.timeOf('u')).toBe('3');
  });
});
