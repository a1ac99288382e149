import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { LogMessage } from '../../common/kopf.logger.js';
import type { Resource } from '../../resources/resources.js';
import type { JsonMap } from 'kube-common';
import { ResourcePatch } from '../../objects/patches.js';
import type { PatchResult } from './patch.request.js';
import { PatchVerification } from './patch.verification.js';

const resource = (plural: string) => ({ group: 'kopf.dev', version: 'v1', plural }) as Resource;
const INCONSISTENT = 'Merge-patching finished with inconsistencies: ';

const stored = (object: object): PatchResult => ({
  outcome: 'stored',
  body: { metadata: {}, ...object } as KubeObject,
});

/** @param details where what is logged for debugging only is put. */
function verify(
  fields: Record<string, unknown>,
  actual: object,
  details: string[] = [],
  where = resource('examples'),
): string[] {
  const verbose = (message: LogMessage): void =>
    void details.push(String(typeof message === 'function' ? message() : message));
  const logger = Object.assign(new MemoryLogger(), { verbose });
  const patch = new ResourcePatch();
  patch.merge(fields);
  new PatchVerification().verify(where, patch, stored(actual), logger, new Set());
  return logger.messages();
}

describe('PatchVerification', () => {
  it.each<[object, object]>([
    [{}, {}],
    [{ spec: { a: 1 } }, { spec: { a: 1, b: 2 } }],
    [{ spec: { a: null } }, { spec: {} }],
    [{ spec: { a: null } }, {}],
    [{ spec: { a: {} } }, { spec: {} }],
    [{ metadata: { labels: { l: null } } }, { metadata: {} }],
    [{ metadata: { finalizers: [] } }, { metadata: {} }],
    [{ spec: { list: [{ a: 1 }] } }, { spec: { list: [{ a: 1 }] } }],
    [{ status: { a: undefined } }, {}],
    [{ status: { a: 9007199254740993n } }, { status: { a: 9007199254740993n } }],
    [{ status: { a: [9007199254740993n], b: 5n } }, { status: { a: [9007199254740993n], b: 5 } }],
    [{ status: { a: 2 ** 60 } }, { status: { a: 1152921504606847000n } }],
  ])('should find nothing missing: %o in %o', (patch, actual) => {
    expect(verify(patch as Record<string, unknown>, actual)).toEqual([]);
  });

  it.each<[object, object, unknown[]]>([
    [{ spec: { a: 1 } }, { spec: {} }, ['remove', ['spec', 'a'], 1, null]],
    [{ spec: { a: 1 } }, {}, ['remove', ['spec', 'a'], 1, null]],
    [{ spec: { a: 1 } }, { spec: 'text' }, ['remove', ['spec', 'a'], 1, null]],
    [{ spec: { a: '1000m' } }, { spec: { a: '1' } }, ['change', ['spec', 'a'], '1000m', '1']],
    [{ spec: { a: null } }, { spec: { a: 0 } }, ['add', ['spec', 'a'], null, 0]],
    [{ spec: { a: [1] } }, { spec: {} }, ['remove', ['spec', 'a'], [1], null]],
    [{ status: { a: 1 } }, { status: { a: 2 } }, ['change', ['status', 'a'], 1, 2]],
  ])(
    'should report what is missing by its path, and the values on demand only: %j in %j',
    (patch, actual, difference) => {
      const details: string[] = [];
      const path = (difference[1] as string[]).join('.');
      expect(verify(patch as Record<string, unknown>, actual, details)).toEqual([
        `${INCONSISTENT}the cluster has other values of ${path}.`,
      ]);
      expect(details).toEqual([`The inconsistencies are: ${JSON.stringify([difference])}`]);
    },
  );

  it('should show no values of Secrets', () => {
    const details: string[] = [];
    const patch = { data: { a: 'secret' }, stringData: { b: 'secret' }, metadata: { annotations: { c: 'secret' } } };
    const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' } as Resource;
    const warnings = verify(patch, { data: { a: 'older secret' } }, details, secrets);
    expect(warnings).toEqual([
      `${INCONSISTENT}the cluster has other values of data.a, stringData.b, metadata.annotations.c.`,
    ]);
    expect(details.join()).toMatch(/data.*stringData.*annotations/);
    expect(details.join()).not.toContain('secret');
  });

  it('should report a pruned status once for each resource, with what to do', () => {
    const logger = new MemoryLogger();
    const verification = new PatchVerification();
    const pruned = new Set<string>();
    const patch = new ResourcePatch();
    patch.status.create = { a: 1, b: 2 };
    for (const plural of ['examples', 'examples', 'others']) {
      verification.verify(resource(plural), patch, stored({}), logger, pruned);
    }
    expect(logger.messages('warn')).toEqual([
      expect.stringMatching(
        /^The cluster does not keep status.create.a, status.create.b of examples.v1.kopf.dev: .*"x-kubernetes-preserve-unknown-fields: true"/,
      ),
      expect.stringContaining('of others.v1.kopf.dev'),
    ]);
  });

  it.each([
    ['pods.v1', { group: '', version: 'v1', plural: 'pods', kind: 'Pod' }],
    [
      'ingresses.v1.networking.k8s.io',
      { group: 'networking.k8s.io', version: 'v1', plural: 'ingresses', kind: 'Ingress' },
    ],
  ])('should not speak of the CRD of %s, which have none', (key, resource) => {
    expect(verify({ status: { create: { a: 1 } } }, {}, [], resource as Resource)).toEqual([
      `The cluster does not keep status.create.a of ${key}: Kubernetes does not know these fields. Let the handlers return nothing, or ` +
        'store it elsewhere. This is reported once for this resource.',
    ]);
  });

  it('should find nothing missing of what was only sent as something else', () => {
    const patch = new ResourcePatch();
    const at = new Date(0);
    Object.assign(patch.status, {
      at,
      size: { toJSON: () => '1Gi' },
      list: [at, undefined, { at, nothing: undefined }],
    });
    const text = '1970-01-01T00:00:00.000Z';
    const status = { at: text, size: '1Gi', list: [text, null, { at: text }] };
    const logger = new MemoryLogger();
    new PatchVerification().verify(resource('examples'), patch, stored({ status }), logger, new Set());
    expect(logger.messages()).toEqual([]);
  });

  it.each([NaN, Infinity, () => 1])('should not blame the schema for what was not sent: %s', (value) => {
    const patch = new ResourcePatch({ fields: { status: { a: value } }, transformations: [] });
    const logger = new MemoryLogger();
    new PatchVerification().verify(resource('examples'), patch, stored({}), logger, new Set());
    expect(logger.messages()).toEqual([expect.stringContaining(INCONSISTENT)]);
  });

  it.each(['conflict', 'failed'] as const)('should look at what was sent before a %s', (outcome) => {
    const logger = new MemoryLogger();
    const patch = new ResourcePatch();
    patch.merge({ spec: { a: 1 }, status: { b: 2 } });
    const verification = new PatchVerification();
    const body = { metadata: {} } as KubeObject;
    const verifyWith = (unsent: JsonMap): void => {
      const rest = { fields: unsent, transformations: [] };
      const result = { outcome, body, error: new Error('lost'), unsent: rest, isAnswered: false };
      verification.verify(resource('examples'), patch, result, logger, new Set());
    };
    verifyWith({});
    verifyWith({ spec: { a: 1 } });
    verification.verify(resource('examples'), patch, { outcome: 'gone' }, logger, new Set());
    expect(logger.messages()).toEqual([
      `${INCONSISTENT}the cluster has other values of spec.a, status.b.`,
      expect.stringContaining('The cluster does not keep status.b'),
    ]);
  });

  it('should report a pruned status each time if more is missing', () => {
    expect(verify({ status: { a: 1 }, spec: { b: 1 } }, {})).toEqual([expect.stringContaining(INCONSISTENT)]);
  });
});
