import type { ProgressRecord, ProgressStorage } from '../../libs/kopf/src/state/storages.js';
import { AnnotationsProgressStorage } from '../../libs/kopf/src/state/annotations-progress.storage.js';
import { allowDeletion, blockDeletion } from '../../libs/kopf/src/state/finalizers.js';
import { SmartProgressStorage } from '../../libs/kopf/src/state/multi-progress.storage.js';
import { StatusProgressStorage } from '../../libs/kopf/src/state/status-progress.storage.js';
import { ResourcePatch } from '../../libs/kopf/src/objects/patches.js';
import { transformed } from '../../libs/kopf/src/objects/transformations.js';
import { readVectors } from './vectors.js';
import { computeJsonPatch, type JsonPatchOperation } from '../../libs/kopf/src/objects/json-patch.js';
import type { FieldTransformation } from '../../libs/kopf/src/objects/patch-content.js';
import type { KubeObject } from '../../libs/kopf/src/objects/kube-object.js';

/** Returns the JSON patch that is sent for the transformations. */
function operationsOf(
  body: KubeObject,
  transformations: readonly FieldTransformation[],
): readonly JsonPatchOperation[] {
  return computeJsonPatch(body, transformed(body, transformations));
}

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';
const { finalizerPatches, progress } = readVectors();

describe('finalizers', () => {
  it.each(finalizerPatches)('should be patched as by Kopf: $op in $object', ({ object, op, jsonPatch }) => {
    const transformation = op === 'block' ? blockDeletion(FINALIZER) : allowDeletion(FINALIZER);
    expect(operationsOf(object, [transformation])).toEqual(jsonPatch);
  });
});

describe('the progress', () => {
  const storages: Record<string, ProgressStorage> = {
    annotations: new AnnotationsProgressStorage(),
    annotationsVerbose: new AnnotationsProgressStorage({ verbose: true }),
    customPrefix: new AnnotationsProgressStorage({ prefix: 'my-op.example.com' }),
    status: new StatusProgressStorage(),
    statusNamed: new StatusProgressStorage({ name: 'my-op' }),
    smart: new SmartProgressStorage(),
  };
  const id = 'fn/spec.field';
  const record: ProgressRecord = {
    started: '2020-01-01T00:00:00.000000+00:00',
    stopped: null,
    delayed: '2020-01-01T00:01:00.500000+00:00',
    purpose: 'update',
    retries: 3,
    success: false,
    failure: false,
    message: 'boom é',
    subrefs: ['fn/a', 'fn/b'],
  };
  const fresh = { metadata: {} };
  const handled = {
    metadata: { annotations: { 'kopf.zalando.org/fn.spec.field': '{}', 'my-op.example.com/fn.spec.field': '{}' } },
    status: { kopf: { progress: { [id]: {} } } },
  };

  it.each(Object.keys(progress))('should be written as by Kopf: %s', (name) => {
    const storage = storages[name];
    const expected = progress[name];

    expect(patchBy((patch) => storage.store(id, record, fresh, patch))).toEqual(expected.store);
    expect(patchBy((patch) => storage.purge(id, handled, patch))).toEqual(expected.purge);
    expect(patchBy((patch) => storage.touch('2020-12-31T23:59:59.123456+00:00', fresh, patch))).toEqual(expected.touch);
  });
});

function patchBy(write: (patch: ResourcePatch) => void): object {
  const patch = new ResourcePatch();
  write(patch);
  return patch.toMergePatch() ?? {};
}
