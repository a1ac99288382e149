import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import { makeResource } from '../../../../../test/support/objects/resources.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { ResourcePatch } from '../../objects/patches.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import {
  ApiConflictError,
  ApiClientError,
  ApiForbiddenError,
  ApiServerError,
  ApiUnprocessableEntityError,
  type ApiErrorOptions,
} from './api.errors.js';
import type { PatchRequest, PatchResult } from './patch.request.js';
import { PatchSequence } from './patch.sequence.js';

const versioned = (resourceVersion: string): KubeObject => ({
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion },
});

/** What the API server has when it is asked for the object: a version of it, or nothing; or the error of the request. */
type Found = KubeObject | null | Error;

interface Sent {
  readonly part: string;
  readonly type: string;
}

/**
 * Sends a patch with a status, fields, and a transformation.
 *
 * @param failing the errors of the parts that fail
 */
async function send(
  failing: Readonly<Record<string, Error>>,
  found: Found = versioned('1'),
  options: Pick<PatchRequest, 'separately' | 'once'> = {},
): Promise<{ result: PatchResult; sent: readonly string[] }> {
  const patch = new ResourcePatch();
  patch.merge({ status: { b: 2 }, spec: { a: 1 } });
  patch.transform((body) => {
    if (failing.transforming) throw failing.transforming;
    body.metadata.finalizers = ['f'];
  });
  const sent: Sent[] = [];
  let version = 10;
  const api = {
    redactor: { patch: (_resource: unknown, payload: unknown) => payload },
    patch: async (path: string, type: string) => {
      const part = type === 'json' ? 'transformations' : path.endsWith('/status') ? 'status' : 'object';
      sent.push({ part, type });
      if (failing[part]) throw failing[part];
      return versioned(String(++version));
    },
  };
  const reader = {
    read: async () => {
      if (found instanceof Error) throw found;
      return found ?? undefined;
    },
  };
  const sequence = new PatchSequence(
    api as never,
    reader as never,
    { resource: makeResource({ subresources: ['status'] }), body: versioned('1'), patch, ...options },
    new MemoryLogger(),
    new KopfSettings().patching,
  );
  const result = await sequence.send();
  return { result, sent: sent.map(({ part }) => part) };
}

const options = (status: number, message = '', details?: object): ApiErrorOptions => ({
  status,
  method: 'PATCH',
  path: '/a',
  payload: { kind: 'Status', message, details },
});
const invalid = (cause?: object): Error =>
  new ApiUnprocessableEntityError(options(422, 'invalid', cause && { causes: [cause] }));
const denied = new ApiForbiddenError(options(403, 'admission webhook "x" denied the request: no'));
const forbidden = new ApiForbiddenError(options(403, 'no permission'));
const badRequest = new ApiClientError(options(400));
const broken = new ApiServerError(options(500));
const conflict = new ApiConflictError(options(409));
const owned = new ApiConflictError(options(409, '', { causes: [{ reason: 'FieldManagerConflict' }] }));
const away = new Error('ECONNREFUSED');

describe('PatchSequence', () => {
  it('should send the status first, then the fields, then the transformations', async () => {
    const { result, sent } = await send({});
    expect(sent).toEqual(['status', 'object', 'transformations']);
    expect(result).toEqual({ outcome: 'stored', body: versioned('13') });
  });

  it.each<[string, Error, Found, Partial<PatchResult>]>([
    ['a denial', denied, versioned('1'), { outcome: 'rejected', error: denied, parts: ['object'] }],
    ['fields that are owned by others', owned, versioned('1'), { outcome: 'rejected', error: owned }],
    ['a bad request', badRequest, versioned('1'), { outcome: 'rejected', error: badRequest }],
    ['fields that are invalid, as causes say', invalid({ field: 'spec.a' }), versioned('1'), { outcome: 'rejected' }],
    ['what cannot be made a request', new TypeError('circular'), versioned('1'), { outcome: 'rejected' }],
    ['a conflict', conflict, versioned('2'), { outcome: 'conflict', error: conflict }],
    ['a conflict by the version, without causes', invalid(), versioned('2'), { outcome: 'conflict' }],
    ['the uid of another object', invalid({ field: 'metadata.uid' }), versioned('1'), { outcome: 'gone' }],
    ['an error of an object that is gone', forbidden, null, { outcome: 'gone' }],
    ['an error that may pass', forbidden, versioned('1'), { outcome: 'failed', isAnswered: true }],
    ['an error of the server', broken, versioned('1'), { outcome: 'failed', isAnswered: true }],
    ['an error while the object cannot be read', broken, away, { outcome: 'failed', isAnswered: false }],
    ['an error while the object must not be read', broken, forbidden, { outcome: 'failed', isAnswered: true }],
    ['a server that is away', away, versioned('1'), { outcome: 'failed', error: away, isAnswered: false }],
  ])('should say what has become of a patch: %s', async (_what, error, found, expected) => {
    const { result, sent } = await send({ object: error }, found);
    expect(result).toMatchObject(expected);
    expect(sent).toEqual(['status', 'object']);
  });

  it.each<[string, Error, Found, Partial<PatchResult>]>([
    ['an error that may pass', forbidden, versioned('1'), { outcome: 'rejected', error: forbidden }],
    ['a conflict with an object that has not changed', conflict, versioned('1'), { outcome: 'rejected' }],
    ['a conflict with an object that has changed', conflict, versioned('99'), { outcome: 'conflict' }],
    ['a conflict with an object that has gone', conflict, null, { outcome: 'gone' }],
    ['a server that is away', away, versioned('1'), { outcome: 'failed', isAnswered: false }],
  ])(
    'should take any answer but success for a rejection if it is to send once: %s',
    async (_what, error, found, expected) => {
      const { result } = await send({ object: error }, found, { once: true });
      expect(result).toMatchObject(expected);
    },
  );

  it('should send nothing after a rejection, and return what is neither stored nor refused', async () => {
    const { result, sent } = await send({ object: denied });
    expect(sent).toEqual(['status', 'object']);
    const unsent = { fields: { spec: { a: 1 } }, transformations: [expect.any(Function)] };
    expect(result).toMatchObject({ parts: ['object'], unsent });
  });

  it('should send the other parts in spite of rejections if they are independent', async () => {
    const { result, sent } = await send({ status: denied, transformations: badRequest }, versioned('1'), {
      separately: true,
    });
    expect(sent).toEqual(['status', 'object', 'transformations']);
    expect(result).toMatchObject({
      outcome: 'rejected',
      error: denied,
      parts: ['status', 'transformations'],
      body: versioned('11'),
      unsent: { fields: {}, transformations: [] },
    });
  });

  it('should not send the rest when the server does not answer, even if the parts are independent', async () => {
    const { result, sent } = await send({ object: away }, versioned('1'), { separately: true });
    expect(sent).toEqual(['status', 'object']);
    expect(result).toMatchObject({ outcome: 'failed', unsent: { fields: { spec: { a: 1 } } } });
  });

  it('should reject the patch by the error of a transformation, without any request for it', async () => {
    const error = new RangeError('out of range');
    const { result, sent } = await send({ transforming: error });
    expect(sent).toEqual(['status', 'object']);
    expect(result).toMatchObject({ outcome: 'rejected', error, parts: ['transformations'] });
  });
});
