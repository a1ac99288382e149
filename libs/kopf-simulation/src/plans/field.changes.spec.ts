import { SeededRandom } from 'kube-common';
import type { SchemaNode } from 'nestjs-kopf/crd';
import type { TestManifestObject } from 'nestjs-kopf/testing';
import { FieldChanges, inferSchema } from './field.changes.js';

const schema: SchemaNode = {
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string' },
    metadata: { type: 'object' },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
    spec: {
      type: 'object',
      required: ['size', 'mode'],
      properties: {
        size: { type: 'string' },
        mode: { type: 'string', enum: ['rw', 'ro'] },
        replicas: { type: 'integer', minimum: 0, maximum: 9 },
        isFast: { type: 'boolean' },
        zones: { type: 'array', items: { type: 'string' } },
        note: { type: 'string' },
      },
    },
  },
};

const disk = {
  apiVersion: 'example.com/v1',
  kind: 'Disk',
  metadata: { name: 'a' },
  spec: { size: '2Gi', mode: 'rw', replicas: 3, isFast: true, zones: ['x', 'y'] },
};

/** The values that fields get in many changes. */
function drawn(path: string, object: TestManifestObject = disk, given = schema): ReadonlySet<string> {
  const found = new Set<string>();
  for (let seed = 0; seed < 400; seed++) {
    const changed = new FieldChanges(new SeededRandom(seed), given, {}, [path]).draw(object);
    const value = path.split('.').reduce((part: any, key) => part?.[key], changed) as unknown;
    if (changed) found.add(JSON.stringify(value) ?? 'absent');
  }
  return found;
}

describe('FieldChanges', () => {
  it('should change quantities to other ones, and to the same one in another unit', () => {
    expect([...drawn('spec.size')]).toEqual(
      expect.arrayContaining(['"4Gi"', '"1Gi"', '"0Gi"', '"-2Gi"', '"2048Mi"', '""', '"Not a Name!"']),
    );
    expect(drawn('spec.size')).not.toContain('absent');
  });

  it('should change quantities with patterns and formats, as the CRDs of Go operators have them', () => {
    const pattern =
      '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';
    const anyOf = [{ type: 'integer' as const }, { type: 'string' as const }];
    const quantity: SchemaNode = { anyOf, pattern, 'x-kubernetes-int-or-string': true };
    const properties = {
      cpu: quantity,
      cores: quantity,
      memory: quantity,
      size: { type: 'string' as const, pattern: '^[0-9]+(Gi|Mi)$' },
      wait: { type: 'string' as const, format: 'duration' },
    };
    const given: SchemaNode = {
      type: 'object',
      properties: { spec: { type: 'object', required: Object.keys(properties), properties } },
    };
    const spec = { cpu: '1500m', cores: 2, memory: '2Gi', size: '1Gi', wait: '5m' };
    const object = { ...disk, spec };
    const of = (name: string): string[] => [...drawn(`spec.${name}`, object, given)];
    expect(of('cpu').sort()).toEqual(['"-1500m"', '"0m"', '"1.5"', '"3000m"', '"750m"']);
    expect(of('cores')).toEqual(expect.arrayContaining(['"2000m"', '3', '0']));
    expect(of('memory')).toEqual(expect.arrayContaining(['"2048Mi"', '"4Gi"', '"-2Gi"']));
    expect(of('size').sort()).toEqual(['"0Gi"', '"1024Mi"', '"2Gi"']);
    expect(of('wait')).toContain('"10m"');
  });

  it('should change numbers to their bounds, and not beyond', () => {
    expect([...drawn('spec.replicas')].sort()).toEqual(['0', '1', '2', '4', '9', 'absent']);
  });

  it('should change enums and booleans to the other values', () => {
    expect(drawn('spec.mode')).toEqual(new Set(['"ro"']));
    expect(drawn('spec.isFast')).toEqual(new Set(['false', 'absent']));
  });

  it('should let lists grow and shrink, and add fields that are absent', () => {
    const zones = [...drawn('spec.zones')];
    expect(zones).toEqual(expect.arrayContaining(['[]', '["x"]', '["y"]', '["y","x"]', 'absent']));
    expect(zones.some((list) => list.startsWith('["x","y","'))).toBe(true);
    expect(drawn('spec.note').has('absent')).toBe(false);
  });

  it('should change one field at a time, and nothing but what the user asks for', () => {
    const before = JSON.stringify(disk);
    for (let seed = 0; seed < 200; seed++) {
      const changed = new FieldChanges(new SeededRandom(seed), schema).draw(disk) as unknown as typeof disk;
      const { spec, ...rest } = changed;
      expect(rest).toEqual({ apiVersion: 'example.com/v1', kind: 'Disk', metadata: { name: 'a' } });
      const fields = [...new Set([...Object.keys(spec), ...Object.keys(disk.spec)])] as (keyof typeof spec)[];
      expect(fields.filter((key) => JSON.stringify(spec[key]) !== JSON.stringify(disk.spec[key]))).toHaveLength(1);
    }
    expect(JSON.stringify(disk)).toBe(before);
  });

  it('should make a schema of an object that has no CRD', () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { red: '1', blue: '2' } };
    const inferred = inferSchema(config);
    const data = [...drawn('data', config, inferred)];
    expect(data).toEqual(expect.arrayContaining(['{"blue":"2"}', '{"red":"1"}']));
    expect(data.some((each) => each.includes('key2'))).toBe(true);
  });
});
