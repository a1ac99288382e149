import fc from 'fast-check';
import type { KubeObject } from '../objects/kube-object.js';
import { AnnotationKeys } from './annotation-keys.js';

const body: KubeObject = { kind: 'KopfExample', metadata: {} };
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a', uid: 'u' };
const replicaSet: KubeObject = { kind: 'ReplicaSet', metadata: { ownerReferences: [owner] } };

describe('AnnotationKeys', () => {
  it('should need a prefix', () => {
    expect(() => new AnnotationKeys('', true)).toThrow(TypeError);
  });

  it('should warn of a prefix that leaves no place for names', () => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    new AnnotationKeys('p'.repeat(189), true, warn);
    new AnnotationKeys('p'.repeat(190), true);
    expect(warnings).toEqual([]);

    new AnnotationKeys('p'.repeat(190), true, warn);
    expect(warnings).toEqual([expect.stringContaining('too long')]);
  });

  it('should form the keys of an id once', () => {
    const keys = new AnnotationKeys('example.com', true);
    expect(keys.readable('create', body)).toBe(keys.readable('create', { metadata: {} }));
    expect(keys.readable('create', body)).toEqual(['example.com/create']);
  });

  it('should not remember ids without end', () => {
    const keys = new AnnotationKeys('example.com', true);
    const first = keys.readable('id', body);
    for (let index = 0; index < 10_000; index++) keys.readable(`id/${index}`, body);

    expect(keys.readable('id', body)).not.toBe(first);
    expect(keys.readable('id', body)).toEqual(first);
  });

  it('should mark the keys of replica sets that belong to deployments', () => {
    const keys = new AnnotationKeys('example.com', true);
    const alone: KubeObject = { kind: 'ReplicaSet', metadata: {} };
    const other: KubeObject = { kind: 'ReplicaSet', metadata: { ownerReferences: [{ ...owner, kind: 'Rollout' }] } };

    expect(keys.readable('create', replicaSet)).toEqual(['example.com/create-ofDRS']);
    expect(keys.readable('create', alone)).toEqual(['example.com/create']);
    expect(keys.readable('create', other)).toEqual(['example.com/create']);
    expect(keys.readable('create', { ...replicaSet, kind: 'Pod' })).toEqual(['example.com/create']);
  });

  it('should have earlier keys only if asked for', () => {
    const id = 'a'.repeat(60);
    expect(new AnnotationKeys('example.com', true).writable(id, body)).toHaveLength(2);
    expect(new AnnotationKeys('example.com', false).writable(id, body)).toEqual([`example.com/${id}`]);
  });

  it('should never write under a key that the server refuses for its length', () => {
    const prefixes = fc.stringMatching(/^[a-z0-9.]{1,189}$/);
    const ids = fc.stringMatching(/^[\w/<>.]{1,300}$/);

    fc.assert(
      fc.property(prefixes, ids, (prefix, id) => {
        const keys = new AnnotationKeys(prefix, true);
        for (const object of [body, replicaSet]) {
          for (const key of keys.writable(id, object)) {
            expect(key.length).toBeLessThanOrEqual(253);
            expect(key.slice(prefix.length + 1).length).toBeLessThanOrEqual(63);
            expect(keys.readable(id, object)).toContain(key);
          }
        }
      }),
    );
  });
});
