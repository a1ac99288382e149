import { Inject, Injectable } from '@nestjs/common';
import type { KubeObject } from '../objects/kube-object.js';
import type { Essence } from '../objects/essences.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import type { FieldPath } from '../objects/field-path.js';
import { deepEqual } from '../objects/json.js';

/** Tells changes of objects that matter from those that do not: of the status, or of the operator's own marks. */
@Injectable()
export class EssentialChanges {
  constructor(@Inject(KopfSettings) private readonly settings: KopfSettings) {}

  /** Compares the essences of two states of one object. */
  differ(before: KubeObject, after: KubeObject, extraFields: readonly FieldPath[]): boolean {
    if (before === after) return false;
    return !deepEqual(this.essenceOf(before, extraFields), this.essenceOf(after, extraFields));
  }

  private essenceOf(body: KubeObject, extraFields: readonly FieldPath[]): Essence {
    const { diffbaseStorage, progressStorage } = this.settings.persistence;
    return progressStorage.clear(diffbaseStorage.build(body, extraFields));
  }
}
