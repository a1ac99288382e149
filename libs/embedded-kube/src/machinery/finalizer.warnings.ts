import type { ObjectMeta } from '../resources/kube-object.js';

const STANDARD = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** What the server says of finalizers that others could use too; only of those that were not there before. */
export function finalizerWarnings({ finalizers = [] }: ObjectMeta, previous?: ObjectMeta): string[] {
  return finalizers
    .filter((finalizer) => !finalizer.includes('/') && !STANDARD.has(finalizer))
    .filter((finalizer) => !previous?.finalizers?.includes(finalizer))
    .map((finalizer) => {
      const advice =
        'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
      return `metadata.finalizers: ${JSON.stringify(finalizer)}: ${advice}`;
    });
}
