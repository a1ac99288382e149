import { makeResource } from '../../../../test/support/resources.js';
import { scriptedApi } from '../../../../test/support/scripted.api.js';
import { status, type ScriptedAnswer } from '../../../../test/support/scripted.transport.js';
import type { KubeObject } from '../interfaces/kube-object.interface.js';
import { ResourcePatch } from '../structs/patches.js';
import { PatchingClient, type PatchResult } from './patching.client.js';

const body: KubeObject = {
  apiVersion: 'kopf.dev/v1',
  kind: 'KopfExample',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
  spec: {},
};

const answer = (version: number, more: object = {}): ScriptedAnswer => ({
  json: { ...body, metadata: { ...body.metadata, resourceVersion: String(version) }, ...more },
});

async function send(patch: ResourcePatch, answers: (ScriptedAnswer | Error)[], subresources: string[] = ['status']) {
  const { api, logger, transport } = scriptedApi((_, index) => answers[index]);
  const client = new PatchingClient(api, logger);
  const request = { resource: makeResource({ subresources }), namespace: 'ns', name: 'a', body, patch };
  const result: PatchResult = await client.applyPatch(request);
  const requests = transport.requests.map((sent) => [
    sent.path.slice('/apis/kopf.dev/v1/namespaces/ns/kopfexamples/'.length),
    /application\/(.+)-patch/.exec(sent.headers['content-type'])?.[1],
    JSON.parse(sent.body!),
  ]);
  return { result, requests, logger };
}

function patchOf(fields: Record<string, unknown>, ...transformations: ((object: KubeObject) => void)[]): ResourcePatch {
  const patch = new ResourcePatch(transformations);
  patch.merge(fields);
  return patch;
}

const addFinalizer = (object: KubeObject): void => void (object.metadata.finalizers ??= []).push('f');
const setPhase = (object: KubeObject): void => void (object.status = { ...object.status, phase: 'Ready' });
const test = (version: string) => ({ op: 'test', path: '/metadata/resourceVersion', value: version });
const finalizerOp = { op: 'add', path: '/metadata/finalizers', value: ['f'] };

describe('PatchingClient', () => {
  it.each<[string, ResourcePatch, string[], unknown[]]>([
    ['nothing', patchOf({}), ['status'], []],
    ['empty parts', patchOf({ status: {}, spec: {}, metadata: { labels: {} } }), ['status'], []],
    ['fields', patchOf({ spec: { a: 1 } }), ['status'], [['a', 'merge', { spec: { a: 1 } }]]],
    ['a status', patchOf({ status: { b: 2 } }), ['status'], [['a/status', 'merge', { status: { b: 2 } }]]],
    [
      'fields and a status',
      patchOf({ spec: { a: 1 }, status: { b: 2 } }),
      ['status', 'scale'],
      [
        ['a', 'merge', { spec: { a: 1 } }],
        ['a/status', 'merge', { status: { b: 2 } }],
      ],
    ],
    [
      'a status that is no subresource',
      patchOf({ spec: { a: 1 }, status: { b: 2 } }),
      [],
      [['a', 'merge', { spec: { a: 1 }, status: { b: 2 } }]],
    ],
    ['transformations', patchOf({}, addFinalizer), ['status'], [['a', 'json', [test('1'), finalizerOp]]]],
    ['transformations without an effect', patchOf({}, () => {}), ['status'], []],
    [
      'fields and transformations, on the newest version',
      patchOf({ spec: { a: 1 } }, addFinalizer),
      ['status'],
      [
        ['a', 'merge', { spec: { a: 1 } }],
        ['a', 'json', [test('11'), finalizerOp]],
      ],
    ],
    [
      'everything',
      patchOf({ spec: { a: 1 }, status: { b: 2 } }, addFinalizer, setPhase),
      ['status'],
      [
        ['a', 'merge', { spec: { a: 1 } }],
        ['a/status', 'merge', { status: { b: 2 } }],
        ['a', 'json', [test('12'), finalizerOp]],
        ['a/status', 'json', [test('13'), { op: 'add', path: '/status', value: { phase: 'Ready' } }]],
      ],
    ],
    [
      'transformations of a status that is no subresource',
      patchOf({}, addFinalizer, setPhase),
      [],
      [['a', 'json', [test('1'), { op: 'add', path: '/status', value: { phase: 'Ready' } }, finalizerOp]]],
    ],
  ])('should send %s', async (_, patch, subresources, expected) => {
    const { result, requests } = await send(patch, [answer(11), answer(12), answer(13), answer(14)], subresources);
    expect(requests).toEqual(expected);
    expect(result.remaining).toBeUndefined();
    expect(result.body?.metadata.resourceVersion).toBe(expected.length ? String(10 + expected.length) : undefined);
  });

  it.each([
    [422, 'Invalid'],
    [409, 'Conflict'],
  ])('should return what was not applied because of a change meanwhile (%i)', async (code, reason) => {
    const patch = patchOf({ spec: { a: 1 } }, addFinalizer, setPhase);
    const { result } = await send(patch, [answer(11), status(code, reason, 'the test failed')]);
    expect(result.body?.metadata.resourceVersion).toBe('11');
    expect(result.remaining?.transformations).toEqual([addFinalizer, setPhase]);
    expect(result.remaining?.toMergePatch()).toBeUndefined();
  });

  it('should return all transformations if only those of the status were not applied', async () => {
    const { result } = await send(patchOf({}, addFinalizer, setPhase), [answer(11), status(422, 'Invalid', '')]);
    expect(result.body?.metadata.resourceVersion).toBe('11');
    expect(result.remaining?.transformations.length).toBe(2);
  });

  it.each([0, 1, 2, 3])('should not mind that the object has gone before the request %i', async (failing) => {
    const patch = patchOf({ spec: { a: 1 }, status: { b: 2 } }, addFinalizer, setPhase);
    const answers = [11, 12, 13, 14].map((version) => answer(version));
    answers[failing] = status(404, 'NotFound', 'gone');
    const { result, requests, logger } = await send(patch, answers);
    expect(result).toEqual({});
    expect(requests.length).toBe(failing + 1);
    expect(logger.messages('warn', 'error')).toEqual([]);
  });

  it.each([400, 409, 422])('should fail if the merge patch is refused with %i', async (code) => {
    const sent = send(patchOf({ spec: { a: 1 } }), [status(code, 'Invalid', 'wrong')]);
    await expect(sent).rejects.toMatchObject({ status: code });
  });

  it('should fail if the transformations make an invalid object, as they would again', async () => {
    const causes = [{ reason: 'FieldValueTypeInvalid', field: 'spec', message: 'Invalid value: "string"' }];
    const refused = status(422, 'Invalid', 'KopfExample.kopf.dev "a" is invalid: spec: Invalid value', { causes });
    await expect(send(patchOf({}, addFinalizer), [refused])).rejects.toMatchObject({ status: 422 });
  });

  it('should not change the known object', async () => {
    const before = structuredClone(body);
    await send(patchOf({}, addFinalizer, setPhase), [answer(11), answer(12)]);
    expect(body).toEqual(before);
  });
});
