import { KopfSettings } from '../../settings/kopf.settings.js';
import { makeResource } from '../../../../../test/support/objects/resources.js';
import { scriptedApi, status, type ScriptedAnswer } from '../../../../../test/support/transport/scripted.api.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { UnsentPatch } from '../../objects/patch-content.js';
import { ResourcePatch } from '../../objects/patches.js';
import { PatchingClient } from './patching.client.js';
import type { PatchResult } from './patch.request.js';

const body: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
  spec: {},
};

const answer = (version: number, more: object = {}): ScriptedAnswer => ({
  json: { ...body, metadata: { ...body.metadata, resourceVersion: String(version) }, ...more },
});

interface Sent {
  readonly path: string;
  readonly type: string | undefined;
  readonly body: unknown;
}

async function send(
  patch: ResourcePatch,
  answers: (ScriptedAnswer | Error)[],
  subresources: string[] = ['status'],
  object = body,
) {
  const { api, logger, transport, clock } = scriptedApi((_, index) => answers[index]);
  const client = new PatchingClient(api, logger, new KopfSettings());
  const sending = client.applyPatch({ resource: makeResource({ subresources }), body: object, patch });
  await clock.advance(60_000);
  const result: PatchResult = await sending;
  const requests = transport.requests.map(({ path, headers, body: text }): Sent => ({
    path: path.slice('/apis/kopf.dev/v1/namespaces/ns/kopfexamples'.length),
    type: /application\/(.+)-patch/.exec(headers['content-type'])?.[1],
    body: text === undefined ? undefined : JSON.parse(text),
  }));
  return { result, requests, logger };
}

function patchOf(fields: Record<string, unknown>, ...transformations: ((object: KubeObject) => void)[]): ResourcePatch {
  const patch = new ResourcePatch();
  patch.merge(fields);
  for (const transformation of transformations) patch.transform(transformation);
  return patch;
}

function unsentOf(result: PatchResult): UnsentPatch {
  if ('unsent' in result) return result.unsent;
  throw new Error(`Everything was sent: ${result.outcome}`);
}

const addFinalizer = (object: KubeObject): void => void (object.metadata.finalizers ??= []).push('f');
const setPhase = (object: KubeObject): void => void (object.status = { ...object.status, phase: 'Ready' });
const test = (version: string) => ({ op: 'test', path: '/metadata/resourceVersion', value: version });
const finalizerOp = { op: 'add', path: '/metadata/finalizers', value: ['f'] };
const phaseOp = { op: 'add', path: '/status', value: { phase: 'Ready' } };
const merged = (sent: object) => ({ path: '/a', type: 'merge', body: sent });
const mergedStatus = (status: object, resourceVersion = '1') => {
  return { path: '/a/status', type: 'merge', body: { metadata: { uid: 'u', resourceVersion }, status } };
};
const json = (version: string, ...operations: object[]) => {
  return { path: '/a', type: 'json', body: [test(version), ...operations] };
};
const jsonStatus = (version: string, ...operations: object[]) => {
  return { path: '/a/status', type: 'json', body: [test(version), ...operations] };
};
const READING = { path: '?fieldSelector=metadata.name%3Da', type: undefined, body: undefined };
const listOf = (...items: object[]): ScriptedAnswer => ({ json: { metadata: {}, items } });
const another = { ...body, metadata: { ...body.metadata, uid: 'another' } };
const newer = { ...body, metadata: { ...body.metadata, resourceVersion: '7' } };

describe('PatchingClient', () => {
  it.each<[string, ResourcePatch, string[], unknown[]]>([
    ['nothing', patchOf({}), ['status'], []],
    ['empty parts', patchOf({ status: {}, spec: {}, metadata: { labels: {} } }), ['status'], []],
    ['fields', patchOf({ spec: { a: 1 } }), ['status'], [merged({ spec: { a: 1 }, metadata: { uid: 'u' } })]],
    [
      'labels',
      patchOf({ metadata: { labels: { a: 'b' } } }),
      ['status'],
      [merged({ metadata: { labels: { a: 'b' }, uid: 'u' } })],
    ],
    ['a status', patchOf({ status: { b: 2 } }), ['status'], [mergedStatus({ b: 2 })]],
    [
      'a status before the fields',
      patchOf({ spec: { a: 1 }, status: { b: 2 } }),
      ['status'],
      [mergedStatus({ b: 2 }), merged({ spec: { a: 1 }, metadata: { uid: 'u' } })],
    ],
    [
      'fields and a status that is no subresource',
      patchOf({ spec: { a: 1 }, status: { b: 2 } }),
      [],
      [merged({ spec: { a: 1 }, status: { b: 2 }, metadata: { uid: 'u' } })],
    ],
    ['transformations', patchOf({}, addFinalizer), ['status'], [json('1', finalizerOp)]],
    ['transformations without an effect', patchOf({}, () => {}), ['status'], []],
    [
      'fields and transformations, on the newest version',
      patchOf({ spec: { a: 1 } }, addFinalizer),
      ['status'],
      [merged({ spec: { a: 1 }, metadata: { uid: 'u' } }), json('11', finalizerOp)],
    ],
    [
      'everything',
      patchOf({ spec: { a: 1 }, status: { b: 2 } }, addFinalizer, setPhase),
      ['status'],
      [
        mergedStatus({ b: 2 }),
        merged({ spec: { a: 1 }, metadata: { uid: 'u' } }),
        json('12', finalizerOp),
        jsonStatus('13', phaseOp),
      ],
    ],
    [
      'transformations of a status that is no subresource',
      patchOf({}, addFinalizer, setPhase),
      [],
      [json('1', phaseOp, finalizerOp)],
    ],
  ])('should send %s', async (_, patch, subresources, expected) => {
    const { result, requests } = await send(patch, [answer(11), answer(12), answer(13), answer(14)], subresources);
    expect(requests).toEqual(expected);
    expect(result).toMatchObject({ outcome: 'stored' });
    const version = result.outcome === 'stored' ? result.body?.metadata.resourceVersion : 'none';
    expect(version).toBe(expected.length ? String(10 + expected.length) : undefined);
  });

  it.each([
    [422, 'Invalid'],
    [409, 'Conflict'],
  ])('should return what was not applied because of a change meanwhile (%i)', async (code, reason) => {
    const patch = patchOf({ spec: { a: 1 } }, addFinalizer, setPhase);
    const { result } = await send(patch, [answer(11), status(code, reason, 'the test failed')]);
    expect(result).toMatchObject({ outcome: 'conflict', body: { metadata: { resourceVersion: '11' } } });
    expect(unsentOf(result)).toEqual({ fields: {}, transformations: [addFinalizer, setPhase] });
  });

  it.each([
    [422, 'Invalid'],
    [409, 'Conflict'],
  ])('should return the fields, too, if the conflict is with the merge patch (%i)', async (code, reason) => {
    const { result } = await send(patchOf({ spec: { a: 1 } }, addFinalizer), [status(code, reason, 'no reason')]);
    expect(result.outcome).toBe('conflict');
    expect(unsentOf(result)).toEqual({ fields: { spec: { a: 1 } }, transformations: [addFinalizer] });
  });

  it('should send what transformations do to the status before the last finalizer is removed, and only once', async () => {
    const leaving = {
      ...body,
      metadata: { ...body.metadata, deletionTimestamp: '2021-01-01T00:00:00Z', finalizers: ['f'] },
    };
    const count = (object: KubeObject): void => void (object.status = { n: (object.status?.n ?? 0) + 1 });
    const release = (object: KubeObject): void => void delete object.metadata.finalizers;
    const stored = { json: { ...leaving, metadata: { ...leaving.metadata, resourceVersion: '11' }, status: { n: 1 } } };
    const { result, requests } = await send(
      patchOf({}, count, release),
      [stored, status(422, 'Invalid', '')],
      ['status'],
      leaving,
    );
    expect(requests).toEqual([
      jsonStatus('1', { op: 'add', path: '/status', value: { n: 1 } }),
      json('11', { op: 'remove', path: '/metadata/finalizers' }),
    ]);
    const fresh = structuredClone(stored.json) as KubeObject;
    for (const transformation of unsentOf(result).transformations) transformation(fresh);
    expect(fresh).toMatchObject({ metadata: { resourceVersion: '11' }, status: { n: 1 } });
    expect(fresh.metadata.finalizers).toBeUndefined();
  });

  it('should return only what transformations do to the status if the rest of the object is stored', async () => {
    const count = (object: KubeObject): void => {
      object.spec = { n: (object.spec?.n ?? 0) + 1 };
      object.status = { seen: object.spec.n };
    };
    const stored = answer(11, { spec: { n: 1 } });
    const { result } = await send(patchOf({}, count), [stored, status(422, 'Invalid', '')]);
    expect(result).toMatchObject({ outcome: 'conflict', body: { metadata: { resourceVersion: '11' } } });
    const fresh = { ...body, spec: { n: 1 } };
    for (const transformation of unsentOf(result).transformations) transformation(fresh);
    expect(fresh).toEqual({ ...body, spec: { n: 1 }, status: { seen: 2 } });
  });

  it.each([0, 1, 2, 3])('should not mind that the object has gone before the request %i', async (failing) => {
    const patch = patchOf({ spec: { a: 1 }, status: { b: 2 } }, addFinalizer, setPhase);
    const answers = [11, 12, 13, 14].map((version) => answer(version));
    answers.splice(failing, answers.length, status(404, 'NotFound', 'gone'), listOf());
    const { result, requests, logger } = await send(patch, answers);
    expect(result).toEqual({ outcome: 'gone' });
    expect(requests.length).toBe(failing + 2);
    expect(requests.at(-1)).toEqual(READING);
    expect(logger.messages('warn', 'error')).toEqual([]);
  });

  it('should not take another object of the same name for the one that has gone', async () => {
    const patch = patchOf({ spec: { a: 1 } });
    const { result } = await send(patch, [status(404, 'NotFound', 'gone'), listOf(another)]);
    expect(result).toEqual({ outcome: 'gone' });
  });

  it('should take a rejected uid for the end of the object', async () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message: 'field is immutable' }];
    const rejected = status(422, 'Invalid', 'metadata.uid: Invalid value', { causes });
    const { result, requests } = await send(patchOf({ spec: { a: 1 } }), [rejected]);
    expect(result).toEqual({ outcome: 'gone' });
    expect(requests.length).toBe(1);
  });

  it('should keep everything if something else than the object is not found', async () => {
    const patch = patchOf({ spec: { a: 1 }, status: { b: 2 } }, addFinalizer);
    const { result } = await send(patch, [status(404, 'NotFound', 'no such path'), listOf(newer)]);
    expect(result).toMatchObject({ outcome: 'failed', error: { status: 404 } });
    expect(unsentOf(result)).toEqual({
      fields: { spec: { a: 1 }, status: { b: 2 } },
      transformations: [addFinalizer],
    });
  });

  it('should send the status for the newest version, if this is the same object', async () => {
    const conflict = status(409, 'Conflict', 'the object has been modified');
    const { result, requests } = await send(patchOf({ status: { b: 2 } }), [conflict, listOf(newer), answer(8)]);
    expect(requests).toEqual([mergedStatus({ b: 2 }), READING, mergedStatus({ b: 2 }, '7')]);
    expect(result).toMatchObject({ outcome: 'stored', body: { metadata: { resourceVersion: '8' } } });
  });

  it('should not send the status to another object of the same name', async () => {
    const conflict = status(409, 'Conflict', 'the object has been modified');
    const { result, requests } = await send(patchOf({ status: { b: 2 } }), [conflict, listOf(another)]);
    expect(requests).toEqual([mergedStatus({ b: 2 }), READING]);
    expect(result).toEqual({ outcome: 'gone' });
  });

  it('should call it a conflict if the status never fits any version', async () => {
    const conflict = status(409, 'Conflict', 'a webhook does not like it');
    const answers = Array.from({ length: 20 }, (_, index) => (index % 2 ? listOf(newer) : conflict));
    const { result, requests } = await send(patchOf({ status: { b: 2 } }), answers);
    expect(requests.length).toBe(9);
    expect(unsentOf(result).fields).toEqual({ status: { b: 2 } });
  });

  it.each([
    [400, 'BadRequest', 'strict decoding error', {}],
    [413, 'RequestEntityTooLarge', 'limit is 3145728', {}],
    [422, 'Invalid', 'metadata.labels: Invalid value', { causes: [{ field: 'metadata.labels' }] }],
    [403, 'Forbidden', 'admission webhook "a.b.c" denied the request: never', {}],
    [422, 'Invalid', "ValidatingAdmissionPolicy 'a' with binding 'b' denied request: never", {}],
  ])('should tell that the API server does not accept the patch: %i %s: %s', async (code, reason, message, details) => {
    const answers = Array.from({ length: 9 }, () => status(code, reason, message, details));
    const { result } = await send(patchOf({ metadata: { labels: { a: '!' } } }), answers);
    expect(result).toMatchObject({ outcome: 'rejected', error: { status: code } });
  });

  it('should tell that the transformations make an invalid object, as they would again', async () => {
    const causes = [{ reason: 'FieldValueTypeInvalid', field: 'spec', message: 'Invalid value: "string"' }];
    const rejected = status(422, 'Invalid', 'KopfExample.kopf.dev "a" is invalid: spec: Invalid value', { causes });
    const { result } = await send(patchOf({}, addFinalizer), [rejected]);
    expect(result).toMatchObject({ outcome: 'rejected', error: { status: 422 } });
  });

  it('should tell that a transformation has thrown', async () => {
    const error = new TypeError('no such field');
    const fail = (): never => {
      throw error;
    };
    expect((await send(patchOf({}, fail), [])).result).toMatchObject({ outcome: 'rejected', error });
  });

  it('should keep what could not be sent', async () => {
    const answers = [answer(11), ...Array.from({ length: 9 }, () => new Error('ECONNRESET'))];
    const { result } = await send(patchOf({ spec: { a: 1 }, status: { b: 2 } }, addFinalizer), answers);
    expect(result).toMatchObject({ outcome: 'failed', body: { metadata: { resourceVersion: '11' } } });
    expect(unsentOf(result)).toEqual({ fields: { spec: { a: 1 } }, transformations: [addFinalizer] });
  });

  describe('if the answer to a JSON patch is lost', () => {
    const count = (object: KubeObject): void => void (object.spec = { n: (object.spec?.n ?? 0) + 1 });

    async function sendAgain(present: KubeObject): Promise<readonly Sent[]> {
      const lost = await send(patchOf({}, count), [new Error('ECONNRESET'), status(422, 'Invalid', 'the test failed')]);
      expect(lost.result.outcome).toBe('conflict');
      const { api, logger, transport } = scriptedApi(() => answer(20));
      const patch = new ResourcePatch(unsentOf(lost.result));
      await new PatchingClient(api, logger, new KopfSettings()).applyPatch({
        resource: makeResource(),
        body: present,
        patch,
      });
      return transport.requests.map(({ body: text }) => JSON.parse(text!));
    }

    it('should not make its changes again where the object has them', async () => {
      const present = { ...body, metadata: { ...body.metadata, resourceVersion: '2' }, spec: { n: 1 } };
      expect(await sendAgain(present)).toEqual([]);
    });

    it('should make them where the object does not have them', async () => {
      const present = { ...body, metadata: { ...body.metadata, resourceVersion: '2' }, spec: { n: 5 } };
      expect(await sendAgain(present)).toEqual([[test('2'), { op: 'replace', path: '/spec/n', value: 6 }]]);
    });
  });

  it('should not change the known object', async () => {
    const before = structuredClone(body);
    await send(patchOf({}, addFinalizer, setPhase), [answer(11), answer(12)]);
    expect(body).toEqual(before);
  });
});
