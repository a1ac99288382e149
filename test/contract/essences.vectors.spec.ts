import { AnnotationsDiffBaseStorage } from '../../libs/kopf/src/state/annotations-diffbase.storage.js';
import { SmartProgressStorage } from '../../libs/kopf/src/state/multi-progress.storage.js';
import { StatusDiffBaseStorage } from '../../libs/kopf/src/state/status-diffbase.storage.js';
import { parseFieldPath } from '../../libs/kopf/src/objects/field-path.js';
import { ResourcePatch } from '../../libs/kopf/src/objects/patches.js';
import { readVectors } from './vectors.js';

const { essences, customPrefixStore, statusStore } = readVectors();
const body = { metadata: { name: 'a' } };

describe('essences', () => {
  it.each(essences)('should be those of Kopf for $object with $extraFields', ({ object, extraFields, ...expected }) => {
    const storage = new AnnotationsDiffBaseStorage();
    const before = JSON.stringify(object);
    const patch = new ResourcePatch();

    const essence = storage.build(object, extraFields.map(parseFieldPath));
    expect(JSON.stringify(essence)).toBe(JSON.stringify(expected.essence));

    storage.store(object, patch, essence);
    expect(patch.toMergePatch()).toEqual(expected.storedPatch);

    const cleared = new SmartProgressStorage().clear(essence);
    expect(JSON.stringify(cleared)).toBe(JSON.stringify(expected.cleared));
    expect(JSON.stringify(object)).toBe(before);
  });

  it('should be stored as Kopf does under a prefix of its own', () => {
    const patch = new ResourcePatch();
    new AnnotationsDiffBaseStorage({ prefix: 'my-op.example.com' }).store(body, patch, { spec: { a: 1 } });
    expect(patch.toMergePatch()).toEqual(customPrefixStore);
  });

  it('should be stored as Kopf does in the status', () => {
    const patch = new ResourcePatch();
    new StatusDiffBaseStorage().store(body, patch, { spec: { a: 1 } });
    expect(patch.toMergePatch()).toEqual(statusStore);
  });
});
