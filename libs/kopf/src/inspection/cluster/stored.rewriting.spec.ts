import type { KubeObject } from '../../objects/kube-object.js';
import { rewriteStored, selectStored } from './stored.rewriting.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const PREFIX = 'kopf.zalando.org';
const record = { started: '2025-12-31T00:00:00.000000+00:00', delayed: '2026-01-02T00:00:00.000000+00:00', retries: 1 };

function object(annotations: Record<string, object>, status?: object): KubeObject {
  const texts = Object.entries(annotations).map(([id, value]) => [`${PREFIX}/${id}`, JSON.stringify(value)]);
  return { metadata: { annotations: Object.fromEntries(texts) }, ...(status && { status }) };
}

describe('selectStored', () => {
  const nested = object({
    parent: { ...record, retries: 2, subrefs: ['parent/inner'] },
    'parent.inner': { ...record, retries: 3 },
    other: { ...record, retries: 4 },
    done: { ...record, retries: 5, success: true },
  });
  const idsOf = (handler?: string) => {
    const { meant, parents } = selectStored(nested, handler, NOW);
    return [meant.map(({ id }) => id), parents.map(({ id }) => id)];
  };

  it('should find the handlers that are not done', () => {
    expect(idsOf()).toEqual([['parent', 'parent.inner', 'other'], []]);
  });

  it('should find one handler with its sub-handlers', () => {
    expect(idsOf('parent')).toEqual([['parent', 'parent.inner'], []]);
  });

  it.each(['parent/inner', 'parent.inner'])(
    'should find a sub-handler, and the handler that must be called with it: %s',
    (id) => {
      expect(idsOf(id)).toEqual([['parent.inner'], ['parent']]);
    },
  );

  it.each(['done', 'unknown'])('should find nothing of a handler that does not wait: %s', (id) => {
    expect(idsOf(id)).toEqual([[], []]);
  });
});

describe('rewriteStored', () => {
  const rewrite = (body: KubeObject, change: object): object => {
    const { meant } = selectStored(body, undefined, NOW);
    return rewriteStored(
      body,
      meant.map((each) => ({ record: each, change })),
    );
  };

  it('should change texts in annotations, and leave the rest of them', () => {
    const { started } = record;
    expect(rewrite(object({ create: record }), { delayed: null, retries: 7 })).toEqual({
      metadata: { annotations: { [`${PREFIX}/create`]: JSON.stringify({ started, retries: 7 }) } },
    });
  });

  it.each([
    ['kopf', { progress: { 'create/spec': record } }, { progress: { 'create/spec': { delayed: null } } }],
    ['my-op', { create: { ...record, success: false, failure: false } }, { create: { delayed: null } }],
  ])('should change members in the status: %s', (name, stored, changed) => {
    expect(rewrite({ metadata: {}, status: { [name]: stored } }, { delayed: null })).toEqual({
      status: { [name]: changed },
    });
  });

  it('should change all places of a handler', () => {
    const body = object(
      { create: record, 'create-x1': { ...record, retries: 9 } },
      { kopf: { progress: { create: record } } },
    );
    const { meant } = selectStored(body, 'create', NOW);
    expect(rewriteStored(body, [{ record: meant[0], change: { delayed: null } }])).toEqual({
      metadata: { annotations: { [`${PREFIX}/create`]: expect.any(String) } },
      status: { kopf: { progress: { create: { delayed: null } } } },
    });
  });
});
