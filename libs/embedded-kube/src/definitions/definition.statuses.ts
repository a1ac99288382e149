import type { FieldManager } from '../apply/field.manager.js';
import type { Clock } from 'kube-common';
import { jsonEqual } from '../common/json.values.js';
import { trackFields } from '../machinery/field.tracking.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import type { ResourceRegistry } from '../resources/resource.registry.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { StoredObject } from '../storage/stored.object.js';
import { acceptNames } from './definition.naming.js';
import { type Definition, DEFINITIONS } from './definition.types.js';

/** The statuses of CRDs, written in the name of the API server, which owns the fields that it writes. */
export class DefinitionStatuses {
  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly fields: FieldManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes which names of a CRD are accepted, and with that whether it is served.
   *
   * @returns false if that is written already
   */
  update(stored: StoredObject): boolean {
    const definition = stored.object as Definition;
    const others = this.store
      .collection(DEFINITIONS)
      .list()
      .filter((each) => each !== stored);
    const status = acceptNames(
      definition,
      others.map(({ object }) => object as Definition),
      this.clock.now(),
    );
    if (jsonEqual(status, definition.status)) return false;
    const draft = { ...definition, status, metadata: { ...definition.metadata } } as Draft;
    const served = this.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (served) {
      trackFields(this.fields, served, draft, stored.object, 'status', { fieldManager: 'kube-apiserver' });
    }
    this.store.update(DEFINITIONS, stored, draft as KubeObject);
    return true;
  }
}
