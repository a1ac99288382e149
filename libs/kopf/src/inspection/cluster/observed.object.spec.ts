import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatTimestamp } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { observeObject, type ObservedObject } from './observed.object.js';
import { phaseAt } from './observed.phase.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const at = (seconds: number): string => formatTimestamp(NOW + seconds * 1000);
const PREFIX = 'kopf.zalando.org';
const FINALIZER = `${PREFIX}/KopfFinalizerMarker`;

interface Given {
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly metadata?: object;
  readonly status?: object;
}

function observe({ annotations = {}, metadata, status }: Given): ObservedObject {
  const texts = Object.entries(annotations).map(([name, value]) => [
    name.includes('/') ? name : `${PREFIX}/${name}`,
    JSON.stringify(value),
  ]);
  const body: KubeObject = {
    metadata: { name: 'web', namespace: 'shop', uid: 'u', ...metadata, annotations: Object.fromEntries(texts) },
    ...(status && { status }),
  };
  return observeObject(body, NOW);
}

const handled = { 'last-handled-configuration': { spec: {} } };
const waiting = { started: at(-90), delayed: at(30), purpose: 'create', retries: 2, message: 'no disk' };
const begun = { started: at(-5), purpose: 'create', retries: 0 };
const deleting = (seconds: number, ...finalizers: string[]): object => {
  return { deletionTimestamp: at(seconds), finalizers };
};

describe('observeObject', () => {
  it('should keep identity and progress, and not the body', () => {
    const metadata = { managedFields: [{ time: at(-20) }, { time: at(-2) }, {}], creationTimestamp: at(-100) };
    expect(observe({ annotations: { ...handled, 'create_fn.spec': waiting }, metadata })).toEqual({
      namespace: 'shop',
      name: 'web',
      uid: 'u',
      isHandled: true,
      progress: [
        {
          handler: 'create_fn.spec',
          purpose: 'create',
          attempts: 2,
          startedAt: NOW - 90_000,
          dueAt: NOW + 30_000,
          error: 'no disk',
        },
      ],
      heldBy: { operator: false, others: false },
      changedAt: NOW - 2000,
    });
  });

  it.each<[string, Given]>([
    ['annotations of another prefix', { annotations: { 'op.example.com/create': waiting } }],
    ['the status', { status: { kopf: { progress: { create: waiting } } } }],
    ['a custom field of the status', { status: { op: { create: { ...waiting, success: false, failure: false } } } }],
    ['a status of another name', { status: { 'my-op': { progress: { create: waiting } } } }],
  ])('should find progress in %s', (_where, given) => {
    expect(observe(given)).toMatchObject({ isHandled: true, progress: [{ handler: 'create', attempts: 2 }] });
  });

  it.each<[string, Given, boolean]>([
    ['nothing on it', {}, false],
    ['the state of others', { annotations: { 'example.com/config': { a: 1 } } }, false],
    ['a finalizer of others', { metadata: { finalizers: ['example.com/other'] } }, false],
    ['the last handled configuration', { annotations: handled }, true],
    ["an operator's finalizer only", { metadata: { finalizers: [FINALIZER] } }, true],
  ])('should tell whether an operator has handled an object with %s', (_what, given, isHandled) => {
    expect(observe(given).isHandled).toBe(isHandled);
  });

  it('should tell whose finalizers hold an object', () => {
    const annotations = { 'op.example.com/kopf-managed': 'yes' };
    const metadata = { finalizers: ['op.example.com/finalizer', 'example.com/other'] };
    expect(observe({ annotations, metadata }).heldBy).toEqual({ operator: true, others: true });
  });
});

describe('phaseAt', () => {
  it.each<[string, Given, string]>([
    ['no operator has handled', {}, 'idle'],
    ['is handled', { annotations: handled }, 'idle'],
    ['has a handler that was begun', { annotations: { create: begun } }, 'inWork'],
    ['has a handler that is due', { annotations: { create: { ...begun, delayed: at(-1) } } }, 'inWork'],
    ['has a handler that waits without an error', { annotations: { create: { ...begun, delayed: at(9) } } }, 'waiting'],
    ['has a handler that waits after an error', { annotations: { create: waiting } }, 'failing'],
    [
      'has a handler that is due after an error',
      { annotations: { create: { ...waiting, delayed: at(-1) } } },
      'failing',
    ],
    ['has a handler that no operator calls', { annotations: { create: { ...waiting, delayed: at(-61) } } }, 'stuck'],
    ['has a handler that has failed', { annotations: { create: { ...begun, failure: true, message: 'x' } } }, 'failed'],
    [
      'has a handler that has failed while another waits',
      { annotations: { create: { ...begun, failure: true }, other: { ...begun, delayed: at(9) } } },
      'waiting',
    ],
    ['is deleted, for a moment', { metadata: deleting(-5, FINALIZER) }, 'deleting'],
    ['is deleted, and no operator comes', { metadata: deleting(-61, FINALIZER) }, 'stuck'],
    ['is deleted, and others hold it', { metadata: deleting(-600, 'example.com/other') }, 'deleting'],
    [
      'is deleted by a handler that was begun',
      { metadata: deleting(-600, FINALIZER), annotations: { delete: { ...begun, purpose: 'delete' } } },
      'deleting',
    ],
    [
      'is deleted by a handler that fails',
      { metadata: deleting(-600, FINALIZER), annotations: { delete: { ...waiting, purpose: 'delete' } } },
      'failing',
    ],
  ])('should see that an object %s', (_what, given, phase) => {
    expect(phaseAt(observe(given), NOW)).toBe(phase);
  });
});

interface Write {
  readonly contentType?: string;
  readonly body: unknown;
}

describe("objects of Python's Kopf", () => {
  const traces = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../../test/contract/traces.json'), 'utf8'),
  ) as readonly { readonly name: string; readonly log: readonly Write[] }[];

  it.each<[trace: string, phases: readonly string[]]>([
    ['basic create-update-delete', ['idle', 'idle']],
    ['permanent error plus good', ['inWork', 'idle']],
    ['sub-handlers', ['waiting', 'idle']],
    ['nested sub-handlers, one fails', ['failing', 'failing', 'failing', 'idle']],
    ['deletion while creation is being retried', ['failing', 'idle']],
    ['retries limited to two', ['failing', 'failing', 'idle']],
    ['own prefix and finalizer', ['failing', 'failing', 'failing', 'failing', 'idle']],
    ['long id with a slash', ['failing', 'failing', 'idle']],
    ['status storages, with subresource', ['failing', 'failing', 'failing', 'failing', 'idle']],
    ['three creation handlers', ['inWork', 'inWork', 'idle']],
  ])('should be seen in their phases: %s', (name, phases) => {
    const trace = traces.find((each) => each.name === name);
    expect(phasesOf(trace?.log ?? [])).toEqual(phases);
  });
});

/** Applies the progress that Kopf has written, and observes the object after each write. Handlers are due in half a minute. */
function phasesOf(log: readonly Write[]): readonly string[] {
  let body: KubeObject = { metadata: { name: 'a' }, spec: {} };
  const writes = log.filter(({ contentType }) => contentType === 'application/merge-patch+json');
  return writes.map(({ body: patch }) => {
    const text = JSON.stringify(patch).replace(/(delayed[\\": ]+)<TS>/g, `$1${at(30)}`);
    body = merge(body, JSON.parse(text.replaceAll('<TS>', at(-1)))) as KubeObject;
    return phaseAt(observeObject(body, NOW), NOW);
  });
}

function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as object) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}
