import { createHash } from 'node:crypto';
import { backoffDelay } from '../common/backoff.js';
import { ProgressState } from '../execution/progress.state.js';
import type { RelatedView } from '../contexts/related.interface.js';
import { applyMergePatch } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { ResourcePatch } from '../objects/patches.js';
import type { KopfSettings } from '../settings/kopf.settings.js';

/** Seconds until it is tried again to remove a record; the last one repeats. */
const REMOVAL_DELAYS = [1, 5, 15, 60, 300];

/**
 * The progress of a handler that is called when related objects change, as it is stored on its object between an error and the next
 * attempt: so attempts are counted, and delays are kept, over restarts.
 *
 * It has a key of its own, as a method can also be a handler of changes, by the same id.
 */
export class RelatedProgress {
  private readonly key: string;
  /** Is true from when a record was read or sent until it is removed. */
  private isStored = false;
  /** The number of attempts to remove the record that have failed; absent if it is not to be removed. */
  private failures?: number;

  constructor(
    private readonly id: string,
    private readonly settings: KopfSettings,
    private readonly now: () => number,
  ) {
    this.key = `related/${id}`;
  }

  /** Restores what is stored; `undefined` if nothing is, or if the object is a copy of another one. */
  restore(body: KubeObject): ProgressState | undefined {
    const { progressStorage, diffbaseStorage } = this.settings.persistence;
    const record = progressStorage.fetch(this.key, body);
    this.isStored = record !== undefined;
    if (!record || diffbaseStorage.isCopied?.(body)) return undefined;
    const handlers = [{ id: this.id }];
    const state = new ProgressState(this.now).restore(handlers, body, { fetch: () => record }).activate(handlers);
    return state.done ? undefined : state;
  }

  /** Whether a record is left on the object that is not needed any more. */
  get isLeft(): boolean {
    return this.failures !== undefined;
  }

  /** Seconds until it is tried again to remove the record. */
  get removalDelay(): number {
    return backoffDelay(REMOVAL_DELAYS, Math.max(1, this.failures ?? 1));
  }

  /** Adds the progress to a patch as long as the handler is to be called again, and removes it afterwards. */
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
  noteSent(isSent: boolean): void {
    if (this.failures === undefined) return;
    this.failures = isSent ? undefined : this.failures + 1;
    if (isSent) this.isStored = false;
  }

  /** The object with a record, which it may not show yet: storages remove only what is there. */
  private withRecord(body: KubeObject): KubeObject {
    const { progressStorage } = this.settings.persistence;
    if (progressStorage.fetch(this.key, body)) return body;
    const stored = new ResourcePatch();
    progressStorage.store(this.key, {}, body, stored);
    return applyMergePatch(body, stored.toMergePatch() ?? {}) as KubeObject;
  }
}

/** Identifies the states of all related objects, to know after a restart if any of them has changed. */
export function fingerprintOf({ related, missing }: RelatedView): string {
  const states = related.map(({ uid, resourceVersion }) => `${uid}/${resourceVersion}`).sort();
  const gaps = missing.map(({ resource, namespace, name }) => `${resource}/${namespace ?? ''}/${name}`).sort();
  return createHash('sha256')
    .update([...states, '', ...gaps].join('\n'))
    .digest('base64url')
    .slice(0, 16);
}
