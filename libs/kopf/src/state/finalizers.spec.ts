import type { KubeObject } from '../objects/kube-object.js';
import { transformed } from '../objects/transformations.js';
import { allowDeletion, blockDeletion, isDeletionBlocked, isDeletionOngoing } from './finalizers.js';
import { computeJsonPatch, type JsonPatchOperation } from '../objects/json-patch.js';
import type { FieldTransformation } from '../objects/patch-content.js';

/** Gives the JSON patch that is sent for the transformations. */
function operationsOf(
  body: KubeObject,
  transformations: readonly FieldTransformation[],
): readonly JsonPatchOperation[] {
  return computeJsonPatch(body, transformed(body, transformations));
}

const F = 'kopf.zalando.org/KopfFinalizerMarker';

it('should tell whether the deletion is ongoing', () => {
  expect(isDeletionOngoing({ metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } })).toBe(true);
  expect(isDeletionOngoing({ metadata: {} })).toBe(false);
  expect(isDeletionOngoing({} as KubeObject)).toBe(false);
});

it('should tell whether the deletion is blocked', () => {
  expect(isDeletionBlocked({ metadata: { finalizers: ['x', F] } }, F)).toBe(true);
  expect(isDeletionBlocked({ metadata: { finalizers: ['x'] } }, F)).toBe(false);
  expect(isDeletionBlocked({ metadata: {} }, F)).toBe(false);
  expect(isDeletionBlocked({} as KubeObject, F)).toBe(false);
});

describe('blockDeletion', () => {
  it.each<[string[] | undefined, object[]]>([
    [undefined, [{ op: 'add', path: '/metadata/finalizers', value: [F] }]],
    [[], [{ op: 'add', path: '/metadata/finalizers/0', value: F }]],
    [['x'], [{ op: 'add', path: '/metadata/finalizers/1', value: F }]],
    [[F, 'x'], []],
  ])('should add the finalizer to %j', (finalizers, operations) => {
    expect(operationsOf(createBody(finalizers), [blockDeletion(F)])).toEqual(operations);
  });

  it('should add nothing to an object that is being deleted', () => {
    const { metadata } = createBody(['x']);
    const body = { metadata: { ...metadata, deletionTimestamp: '2020-01-01T00:00:00Z' } };
    expect(operationsOf(body, [blockDeletion(F)])).toEqual([]);
  });
});

describe('allowDeletion', () => {
  it.each<[string[] | undefined, object[]]>([
    [undefined, []],
    [['x'], []],
    [[], [{ op: 'remove', path: '/metadata/finalizers' }]],
    [[F], [{ op: 'remove', path: '/metadata/finalizers' }]],
    [['x', F], [{ op: 'remove', path: '/metadata/finalizers/1' }]],
    [
      [F, 'x', F],
      [
        { op: 'remove', path: '/metadata/finalizers/0' },
        { op: 'remove', path: '/metadata/finalizers/1' },
      ],
    ],
  ])('should remove the finalizer from %j', (finalizers, operations) => {
    const body = createBody(finalizers);
    expect(operationsOf(body, [allowDeletion(F)])).toEqual(operations);
    expect(body).toEqual(createBody(finalizers));
  });
});

function createBody(finalizers: string[] | undefined): KubeObject {
  return { metadata: { name: 'a', ...(finalizers && { finalizers: [...finalizers] }) }, spec: { a: 1 } };
}
