import { createHash } from 'node:crypto';
import { backoffDelay } from '../common/backoff.js';
import { ProgressState } from '../execution/progress.state.js';
import type { RelatedView } from '../contexts/related.interface.js';
import { applyMergePatch } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import type { KopfSettings } from '../settings/kopf.settings.js';

/** Seconds before the removal of a record is attempted again; the last delay repeats. */
const REMOVAL_DELAYS = [1, 5, 15, 60, 300];

/**
 * The stored progress of a handler that is called when related objects change. It is on the handled object between an error and the next
 * attempt, so that a restart of the operator resets neither the number of attempts nor the delay.
 *
 * It is stored under a key that differs from the handler's id, as the same method can also be a handler of changes with that id.
 */
export class RelatedProgress {
  private readonly key: string;
  /** Whether a record was read or sent, and is not removed yet. */
  private isStored = false;
  /** The number of failed attempts to remove the record; absent if it is not to be removed. */
  private failures?: number;

  constructor(
    private readonly id: string,
    private readonly settings: KopfSettings,
    private readonly now: () => number,
  ) {
    this.key = `related/${id}`;
  }

  /** Restores the stored progress; `undefined` if there is none, or if the object is a copy of another one. */
  restore(body: KubeObject): ProgressState | undefined {
    const { progressStorage, diffbaseStorage } = this.settings.persistence;
    const record = progressStorage.fetch(this.key, body);
    this.isStored = record !== undefined;
    if (!record || diffbaseStorage.isCopied?.(body)) return undefined;
    const handlers = [{ id: this.id }];
    const state = new ProgressState(this.now).restore(handlers, body, { fetch: () => record }).activate(handlers);
    return state.done ? undefined : state;
  }

  /** Whether the object has a record that is not needed any more. */
  get isLeft(): boolean {
    return this.failures !== undefined;
  }

  /** Seconds before the removal of the record is attempted again. */
  get removalDelay(): number {
    return backoffDelay(REMOVAL_DELAYS, Math.max(1, this.failures ?? 1));
  }

  /** Adds the progress to a patch if the handler is to be called again; otherwise removes it. */
  store(state: ProgressState, body: KubeObject, patch: ResourcePatch): void {
    const { progressStorage } = this.settings.persistence;
    if (!state.done) {
      this.isStored = true;
      this.failures = undefined;
      state.store(body, patch, {
        store: (_id, record, ...rest) => progressStorage.store(this.key, record, ...rest),
      });
    } else if (this.isStored) this.remove(body, patch);
  }

  /** Removes the record by a patch. */
  remove(body: KubeObject, patch: ResourcePatch): void {
    this.failures ??= 0;
    this.settings.persistence.progressStorage.purge(this.key, this.withRecord(body), patch);
  }

  /** Records whether the patch was stored. */
  recordSent(isSent: boolean): void {
    if (this.failures === undefined) return;
    this.failures = isSent ? undefined : this.failures + 1;
    if (isSent) this.isStored = false;
  }

  /** Returns the object with a record that it may not show yet, as storages remove only records that they find. */
  private withRecord(body: KubeObject): KubeObject {
    const { progressStorage } = this.settings.persistence;
    if (progressStorage.fetch(this.key, body)) return body;
    const stored = new ResourcePatch();
    progressStorage.store(this.key, {}, body, stored);
    return applyMergePatch(body, stored.toMergePatch() ?? {}) as KubeObject;
  }
}

/** Computes a fingerprint of the states of all related objects, which shows after a restart whether any of them has changed. */
export function fingerprintOf({ related, missing }: RelatedView): string {
  const states = related.map(({ uid, resourceVersion }) => `${uid}/${resourceVersion}`).sort();
  const gaps = missing.map(({ resource, namespace, name }) => `${resource}/${namespace ?? ''}/${name}`).sort();
  return createHash('sha256')
    .update([...states, '', ...gaps].join('\n'))
    .digest('base64url')
    .slice(0, 16);
}
