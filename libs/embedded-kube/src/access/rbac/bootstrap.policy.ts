import { timestamp } from '../../common/timestamps.js';
import type { Clock } from 'kube-common';
import type { IdentityFactory } from '../../machinery/identity.factory.js';
import type { ObjectStore } from '../../storage/object.store.js';
import { RBAC_GROUP } from './rule.resolver.js';

/** Creates the roles and bindings that every API server has. Existing ones stay as they are, as users may have changed them. */
export async function createBootstrapPolicy(
  store: ObjectStore,
  identities: IdentityFactory,
  clock: Clock,
): Promise<void> {
  // More text than all other parts of the start together, for those only who want it.
  const { BOOTSTRAP_POLICY } = await import('./bootstrap-policy.data.js');
  const creationTimestamp = timestamp(clock.now());
  for (const [plural, objects] of Object.entries(BOOTSTRAP_POLICY)) {
    const key = `${plural}.${RBAC_GROUP}`;
    for (const { kind, apiVersion, metadata, ...content } of objects) {
      const { name = '', namespace = '', labels, annotations } = metadata;
      if (store.collection(key).get(namespace, name)) continue;
      const head = {
        name,
        ...(namespace && { namespace }),
        uid: identities.uid(),
        resourceVersion: '',
        creationTimestamp,
      };
      const stored = { ...head, ...(labels && { labels }), ...(annotations && { annotations }) };
      store.create(key, { kind, apiVersion, metadata: stored, ...content });
    }
  }
}
