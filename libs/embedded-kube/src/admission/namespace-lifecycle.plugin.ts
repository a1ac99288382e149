import { forbidden, namespaceTerminating, notFound } from '../errors/status.errors.js';
import { resourceName } from '../resources/served.resource.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { AdmissionPlugin } from './admission.plugin.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';

/** Namespaces that must not be deleted. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/** The plugin that rejects objects in namespaces that do not exist or are being terminated. */
export class NamespaceLifecyclePlugin implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle';

  constructor(private readonly store: ObjectStore) {}

  admit({ operation, served, namespace, name: given, subresource, object }: AdmissionAttributes): void {
    const name = given || (object?.metadata.generateName ?? '');
    if (operation === 'DELETE' && served.storageKey === 'namespaces' && IMMORTAL.has(name)) {
      throw forbidden(resourceName(served), name, 'this namespace may not be deleted');
    }
    if (operation !== 'CREATE' || !served.resource.namespaced || subresource) return;
    const found = this.store.collection('namespaces').get('', namespace);
    if (!found) throw notFound({ group: '', name: 'namespaces' }, namespace);
    if (found.object.metadata.deletionTimestamp) throw namespaceTerminating(resourceName(served), name, namespace);
  }
}
