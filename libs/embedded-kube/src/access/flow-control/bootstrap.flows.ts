import { timestamp } from '../../common/timestamps.js';
import type { Clock } from 'kube-common';
import type { IdentityFactory } from '../../machinery/identity.factory.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ObjectStore } from '../../storage/object.store.js';
import { FLOW_CONTROL_GROUP } from './flow.classifier.js';

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
}

/**
 * Creates the priority levels and flow schemas that every API server has. Existing ones stay as they are, as users may have changed them.
 */
export async function createBootstrapFlows(
  store: ObjectStore,
  identities: IdentityFactory,
  clock: Clock,
): Promise<void> {
  const { BOOTSTRAP_FLOWS } = await import('./bootstrap-flows.data.js');
  const now = timestamp(clock.now());
  for (const [plural, objects] of Object.entries(BOOTSTRAP_FLOWS)) {
    const key = `${plural}.${FLOW_CONTROL_GROUP}`;
    for (const { apiVersion, kind, metadata, spec, status } of objects) {
      const { name = '', generation, annotations } = metadata;
      if (store.collection(key).get('', name)) continue;
      const managedFields = (metadata['managedFields'] as readonly Owner[]).map(
        ({ manager, operation, apiVersion: version, ...fields }) => {
          return { manager, operation, apiVersion: version, time: now, ...fields };
        },
      );
      const head = { name, uid: identities.uid(), resourceVersion: '', generation, creationTimestamp: now };
      store.create(key, {
        apiVersion,
        kind,
        metadata: { ...head, annotations, managedFields },
        spec,
        status: withTime(status as Conditions, now),
      } as KubeObject);
    }
  }
}

interface Conditions {
  readonly conditions?: readonly Readonly<Record<string, string>>[];
}

function withTime({ conditions }: Conditions, now: string): Conditions {
  return conditions
    ? {
        conditions: conditions.map(
          ({ type, status, ...rest }) => ({ type, status, lastTransitionTime: now, ...rest }) as Record<string, string>,
        ),
      }
    : {};
}
