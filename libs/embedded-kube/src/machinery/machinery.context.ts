import type { FieldManager } from '../apply/field.manager.js';
import type { Clock } from 'kube-common';
import type { ObjectStore } from '../storage/object.store.js';
import type { IdentityFactory } from './identity.factory.js';
import type { WriteAdmission } from './write.admission.js';

/** The dependencies that all operations on objects share. */
export interface MachineryContext {
  readonly store: ObjectStore;
  readonly admission: WriteAdmission;
  readonly clock: Clock;
  readonly identities: IdentityFactory;
  readonly fields: FieldManager;
}
