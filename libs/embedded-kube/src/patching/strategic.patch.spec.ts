import { applyStrategicMergePatch } from './strategic.patch.js';

const POD = { group: '', version: 'v1', kind: 'Pod' };

const pod = () => ({
  metadata: {
    labels: { a: '1', b: '2' },
    finalizers: ['x/a', 'x/b', 'x/c'],
    ownerReferences: [{ uid: 'u1' }, { uid: 'u2' }],
  },
  spec: {
    containers: [
      { name: 'a', image: 'i:1', args: ['q'], env: [{ name: 'E1', value: '1' }], ports: [{ containerPort: 80 }] },
      { name: 'b', image: 'i:2' },
      { name: 'c', image: 'i:3' },
    ],
    volumes: [{ name: 'v', emptyDir: {} }],
    tolerations: [{ key: 't1' }],
    nodeSelector: { q: '1' },
  },
});

const apply = (patch: unknown) => applyStrategicMergePatch(pod(), patch, POD) as ReturnType<typeof pod>;
const images = (patch: object) => apply({ spec: patch }).spec.containers.map(({ name, image }) => `${name}=${image}`);

describe('applyStrategicMergePatch', () => {
  it.each([
    ['combine by name', { containers: [{ name: 'b', image: 'n' }] }, ['a=i:1', 'b=n', 'c=i:3']],
    ['put new elements first', { containers: [{ name: 'n', image: 'n' }] }, ['n=n', 'a=i:1', 'b=i:2', 'c=i:3']],
    ['delete an element', { containers: [{ name: 'a', $patch: 'delete' }] }, ['b=i:2', 'c=i:3']],
    ['replace the list', { containers: [{ $patch: 'replace' }, { name: 'n', image: 'n' }] }, ['n=n']],
    [
      'order the live elements',
      { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] },
      ['c=i:3', 'a=i:1', 'b=i:2'],
    ],
    [
      'order new and live elements',
      {
        '$setElementOrder/containers': [{ name: 'c' }, { name: 'n' }, { name: 'a' }],
        containers: [
          { name: 'n', image: 'k' },
          { name: 'a', image: 'l' },
        ],
      },
      ['b=i:2', 'c=i:3', 'n=k', 'a=l'],
    ],
  ])('should %s in a list with a merge key', (_name, patch, expected) => {
    expect(images(patch)).toEqual(expected);
  });

  it.each([
    ['nested lists by their own keys', { env: [{ name: 'E1', value: '2' }, { name: 'E2' }] }, 'env', ['E1', 'E2']],
    ['ports by their number', { ports: [{ containerPort: 81 }] }, 'ports', [81, 80]],
    ['arguments as a whole', { args: ['r', 's'] }, 'args', ['r', 's']],
  ])('should merge %s', (_name, patch, field, expected) => {
    const [container] = apply({ spec: { containers: [{ name: 'a', ...patch }] } }).spec.containers;
    const list = container[field as 'args'] as unknown[];
    expect(list.map((item) => Object.values(typeof item === 'object' ? item! : { item })[0])).toEqual(expected);
  });

  it.each([
    ['finalizers as a set', { finalizers: ['x/d', 'x/a'] }, ['x/d', 'x/a', 'x/b', 'x/c']],
    ['finalizers without the deleted', { '$deleteFromPrimitiveList/finalizers': ['x/b'] }, ['x/a', 'x/c']],
    [
      'finalizers in the given order',
      { '$setElementOrder/finalizers': ['x/c', 'x/n', 'x/a'], finalizers: ['x/n'] },
      ['x/b', 'x/c', 'x/n', 'x/a'],
    ],
    ['no finalizers', { finalizers: null }, undefined],
  ])('should give %s', (_name, metadata, expected) => {
    expect(apply({ metadata }).metadata.finalizers).toEqual(expected);
  });

  it('should merge owner references by uid in every kind', () => {
    const patch = { metadata: { ownerReferences: [{ uid: 'u2', $patch: 'delete' }, { uid: 'u3' }] } };
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    expect(applyStrategicMergePatch(pod(), patch, kind)).toMatchObject({
      metadata: { ownerReferences: [{ uid: 'u3' }, { uid: 'u1' }] },
    });
  });

  it('should replace lists without a merge key', () => {
    expect(apply({ spec: { tolerations: [{ key: 't2' }] } }).spec.tolerations).toEqual([{ key: 't2' }]);
  });

  it('should keep only the retained keys of a union', () => {
    const volumes = [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'z' } }];
    expect(apply({ spec: { volumes } }).spec.volumes).toEqual([{ name: 'v', configMap: { name: 'z' } }]);
  });

  it.each([
    [{ $patch: 'replace', z: '1' }, { z: '1' }],
    [{ $patch: 'delete' }, {}],
    [{ z: '1', q: null }, { z: '1' }],
    [null, undefined],
  ])('should obey directives in a map: %j', (nodeSelector, expected) => {
    expect(apply({ spec: { nodeSelector } }).spec.nodeSelector).toEqual(expected);
  });

  it('should take what is new without nulls and directives', () => {
    const result = apply({ metadata: { annotations: { a: '1', b: null } }, status: { $patch: 'delete' } });
    expect(result.metadata).toMatchObject({ annotations: { a: '1' } });
    expect(result).not.toHaveProperty('status');
    expect(JSON.stringify(result)).not.toContain('null');
  });

  it('should leave the target as it is', () => {
    const target = pod();
    applyStrategicMergePatch(target, { metadata: { labels: { a: null } }, spec: { containers: [{ name: 'n' }] } }, POD);
    expect(target).toEqual(pod());
  });

  it.each([
    [400, 'json: cannot unmarshal array into Go value of type map[string]interface {}', []],
    [400, 'invalid patch format of retainKeys', { spec: { $retainKeys: ['z'], nodeSelector: {} } }],
    [400, 'invalid patch format of primitive list', { metadata: { $deleteFromPrimitiveListx: ['q'] } }],
    [500, 'unknown patch type: foo in map: map[$patch:foo]', { metadata: { $patch: 'foo' } }],
    [500, 'expected a []interface {}, but received a string', { metadata: { '$setElementOrder/finalizers': 'q' } }],
    [500, 'map: map[image:q] does not contain declared merge key: name', { spec: { containers: [{ image: 'q' }] } }],
    [
      500,
      'merging lists cannot yet be specified in the patch',
      { spec: { volumes: [{ name: 'v', $patch: 'merge' }] } },
    ],
  ])('should refuse with status %d: %s', (code, message, patch) => {
    expect(() => apply(patch)).toThrow(expect.objectContaining({ code, message }));
  });

  it('should refuse a list that contradicts its order', () => {
    const spec = { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'b', image: 'u' }] };
    expect(() => apply({ spec })).toThrow(/^The order in patch list:/);
  });
});
