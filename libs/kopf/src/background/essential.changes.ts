import { Injectable } from '@nestjs/common';
import type { KubeObject } from '../objects/kube-object.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { FieldPath } from '../objects/field-path.js';
import { deepEqual } from 'kube-common';
import { presentEssence } from '../state/storages.js';
import { InjectOwn } from '../kopf.tokens.js';

/**
 * The comparison that tells essential changes of an object from others: those of the status, and of the operator's annotations and
 * finalizer.
 */
@Injectable()
export class EssentialChanges {
  constructor(@InjectOwn(KopfSettings) private readonly settings: KopfSettings) {}

  /** Whether the essences of two states of one object differ. */
  differ(before: KubeObject, after: KubeObject, extraFields: readonly FieldPath[]): boolean {
    if (before === after) return false;
    const { persistence } = this.settings;
    return !deepEqual(
      presentEssence(before, extraFields, persistence),
      presentEssence(after, extraFields, persistence),
    );
  }
}
