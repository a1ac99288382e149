import type { KubeObject } from '../objects/kube-object.js';
import type { Patch } from '../objects/patches.js';

/**
 * Adds the annotation by which operators recognise each other's annotations, unless the object or the patch has it.
 * Prefixes that begin with `kopf.` need none.
 */
export function markAsManaged(prefix: string, body: KubeObject, patch: Patch): void {
  if (prefix.startsWith('kopf.')) return;
  const mark = `${prefix}/kopf-managed`;
  const { annotations } = patch.metadata;
  if (body.metadata?.annotations?.[mark] === undefined && annotations[mark] === undefined) annotations[mark] = 'yes';
}
