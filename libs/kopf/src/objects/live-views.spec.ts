import { inspect } from 'node:util';
import type { KubeObject } from './kube-object.js';
import { LiveBody } from './live-views.js';

const first: KubeObject = {
  metadata: { name: 'a', uid: 'u', labels: { l: '1' }, annotations: { a: '1' } },
  spec: { field: 1, list: [1], inner: { x: 1 } },
};
const second: KubeObject = {
  metadata: { name: 'a', uid: 'u', resourceVersion: '2' },
  spec: { field: 2, added: true },
  status: { phase: 'Ready' },
};

describe('LiveBody', () => {
  it('should show the newest object in views taken before', () => {
    const live = new LiveBody(first);
    const { body, spec, metadata, meta, status, labels, annotations } = live;
    const { metadata: inner } = body;
    expect([spec.field, labels.l, annotations.a, status.phase, inner.labels?.l]).toEqual([1, '1', '1', undefined, '1']);

    live.replace(second);

    expect([spec.field, spec.added, status.phase]).toEqual([2, true, 'Ready']);
    expect([labels.l, annotations.a, Object.keys(labels)]).toEqual([undefined, undefined, []]);
    expect([body.spec.field, metadata.resourceVersion, inner.resourceVersion]).toEqual([2, '2', '2']);
    expect(meta).toEqual({ ...metadata, labels: {}, annotations: {} });
    expect([meta.labels, meta.annotations]).toEqual([labels, annotations]);
    expect(live.current).toBe(second);
  });

  it('should look like plain objects', () => {
    const { body, spec, metadata, labels } = new LiveBody(first);

    expect(JSON.stringify(body)).toBe(JSON.stringify(first));
    expect({ ...spec }).toEqual(first.spec);
    expect(Object.entries(labels)).toEqual([['l', '1']]);
    expect('field' in spec).toBe(true);
    expect('other' in spec).toBe(false);
    expect(Object.hasOwn(spec, 'other')).toBe(false);
    expect(body).toEqual(first);
    expect(Object.getPrototypeOf(spec)).toBe(Object.prototype);
    expect(String(spec)).toBe('[object Object]');
    expect(spec.list).toBe(first.spec.list);
    expect(spec.inner).toBe(first.spec.inner);
    expect(metadata.labels).toBe(labels);
    const seen: string[] = [];
    for (const key in spec) seen.push(key);
    expect(seen).toEqual(['field', 'list', 'inner']);
  });

  it('should be printed with its fields', () => {
    const { body, spec } = new LiveBody(first);

    expect(inspect(spec)).toBe(inspect(first.spec));
    expect(inspect(body, { depth: 9 })).toBe(inspect(first, { depth: 9 }));
  });

  it('should show absent parts as empty, but not in the object itself', () => {
    const { body, spec, status, labels, annotations } = new LiveBody({ metadata: {}, spec: 'text' });

    for (const view of [spec, status, labels, annotations]) {
      expect(Object.keys(view)).toEqual([]);
      expect(JSON.stringify(view)).toBe('{}');
    }
    expect(body.status).toBeUndefined();
    expect(body.spec).toBe('text');
    expect(JSON.stringify(body)).toBe('{"metadata":{},"spec":"text"}');
  });

  it('should be read-only', () => {
    const { spec } = new LiveBody(first) as { spec: Record<string, unknown> };

    expect(() => (spec.field = 2)).toThrow('The field field is read-only');
    expect(() => delete spec.field).toThrow(TypeError);
    expect(() => Object.defineProperty(spec, 'x', { value: 1 })).toThrow(TypeError);
    expect(() => Object.setPrototypeOf(spec, null)).toThrow(TypeError);
    expect(() => Object.freeze(spec)).toThrow(TypeError);
    expect(first.spec.field).toBe(1);
  });
});
