import { readVectors } from './vectors.js';

const SECTIONS = [
  'keys',
  'keysOfDRS',
  'essences',
  'customPrefixStore',
  'statusStore',
  'diffs',
  'reduced',
  'namespaces',
  'specificNamespaces',
  'webhookNames',
  'webhookUrls',
  'causes',
  'finalizerPatches',
  'progress',
];

describe('the vectors', () => {
  it('should have no sections but those that are checked', () => {
    expect(Object.keys(readVectors()).sort()).toEqual([...SECTIONS].sort());
  });

  it.each(SECTIONS)('should have something in the section %s', (section) => {
    expect(Object.keys(readVectors()[section as 'keys'])).not.toHaveLength(0);
  });
});
