import { applyConflict } from './apply.conflict.js';
import { FieldSet } from './field.set.js';
import { limitManagers } from './manager.limit.js';
import {
  managerKey,
  type Ownership,
  type Owners,
  readManagedFields,
  sameOwners,
  writeManagedFields,
} from './managed.fields.js';

const entry = (manager: string, more: object = {}): object => ({
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:a': {} },
  manager,
  operation: 'Update',
  ...more,
});
const read = (...entries: object[]): Owners => readManagedFields(entries)!;
const EARLY = '2024-01-01T00:00:00Z';
const LATE = '2024-01-01T00:00:01Z';

describe('managed fields', () => {
  it('should be written in the order of the server', () => {
    const entries = [
      entry('z', { operation: 'Apply' }),
      entry('a', { operation: 'Apply', time: EARLY }),
      entry('z', { time: EARLY }),
      entry('a', { time: LATE }),
      entry('b', { time: LATE }),
      entry('b', { subresource: 'status', time: LATE }),
    ];
    expect(writeManagedFields(read(...entries.toReversed()))).toEqual(entries);
  });

  it.each([
    [{}],
    [[null]],
    [[{}]],
    [[entry('x', { operation: 'Foo' })]],
    [[entry('x', { fieldsType: 'V2' })]],
    [[entry('x', { fieldsV1: { q: {} } })]],
    [[entry('x', { manager: 1 })]],
  ])('should be of no use: %j', (entries) => expect(readManagedFields(entries)).toBeUndefined());

  it('should be the same whatever their times', () => {
    expect(sameOwners([entry('x', { time: EARLY })], [entry('x', { time: LATE })])).toBe(true);
    expect(sameOwners([entry('x')], [entry('y')])).toBe(false);
    expect(sameOwners([entry('x')], [entry('x', { fieldsV1: { 'f:b': {} } })])).toBe(false);
    expect(sameOwners([entry('x')], undefined)).toBe(false);
  });

  it('should have one entry for whoever applies, whatever the version', () => {
    const apply = { name: 'x', operation: 'Apply', apiVersion: 'v1' } as const;
    expect(managerKey({ ...apply, apiVersion: 'v2' })).toBe(managerKey(apply));
    expect(managerKey({ ...apply, operation: 'Update' })).not.toBe(managerKey(apply));
  });
});

describe('limitManagers', () => {
  const updates = (count: number): Owners => {
    const owners = Array.from({ length: count }, (_, index): Ownership => {
      const fields = FieldSet.of([[`f:${index}`]]);
      const time = `2024-01-01T00:00:${String(index).padStart(2, '0')}Z`;
      return { manager: { name: `u${index}`, operation: 'Update', apiVersion: 'v1' }, fields, time };
    });
    return new Map(owners.map((each) => [managerKey(each.manager), each]));
  };

  it('should leave ten of them alone', () => {
    const owners = updates(10);
    expect(limitManagers(owners)).toBe(owners);
  });

  it('should join the oldest ones', () => {
    const limited = [...limitManagers(updates(12)).values()];
    expect(limited).toHaveLength(10);
    const ancient = limited.find(({ manager }) => manager.name === 'ancient-changes')!;
    expect(ancient).toMatchObject({ time: '2024-01-01T00:00:02Z', manager: { operation: 'Update', apiVersion: 'v1' } });
    expect(ancient.fields.toFields()).toEqual({ 'f:0': {}, 'f:1': {}, 'f:2': {} });
  });
});

describe('applyConflict', () => {
  const conflict = (name: string, more: object, ...fields: string[]) => ({
    manager: { name, operation: 'Apply' as const, apiVersion: 'v1', ...more },
    fields: FieldSet.of(fields.map((field) => field.split('/'))),
  });

  it('should tell one conflict in a line', () => {
    expect(applyConflict([conflict('m', {}, 'f:spec/f:a')]).toStatus()).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "m": .spec.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m"', field: '.spec.a' }] },
    });
  });

  it('should tell several by their managers', () => {
    const update = { operation: 'Update', subresource: 'status' };
    expect(applyConflict([conflict('n', update, 'f:a'), conflict('m', {}, 'f:a', 'f:b/k:{"k":1}')]).message).toBe(
      'Apply failed with 3 conflicts: conflicts with "m":\n- .a\n- .b[k=1]\nconflicts with "n" with subresource "status" using v1:\n- .a',
    );
  });
});
