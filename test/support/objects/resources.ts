import type { Resource } from '../../../libs/kopf/src/resources/resources.js';

/** A resource of which only that is told what matters; the rest is that of a plain custom resource, `kopfexamples.kopf.dev`. */
export function makeResource(parts: Partial<Resource> = {}): Resource {
  return {
    group: 'kopf.dev',
    version: 'v1',
    plural: 'kopfexamples',
    kind: 'KopfExample',
    singular: 'kopfexample',
    shortNames: [],
    categories: [],
    subresources: [],
    namespaced: true,
    preferred: true,
    verbs: [],
    ...parts,
  };
}
