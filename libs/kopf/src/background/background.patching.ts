import { Inject, Injectable } from '@nestjs/common';
import { PatchVerification } from '../client/api/patch.verification.js';
import { PatchingClient } from '../client/api/patching.client.js';
import type { PatchRequest, PatchResult } from '../client/api/patch.request.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import type { KubeObject } from '../objects/kube-object.js';
import { isEmptyMap } from '../objects/field-path.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import { ResourcePatch } from '../objects/patches.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { allowDeletion, isDeletionBlocked, isDeletionOngoing } from '../state/finalizers.js';
import { backoffDelay } from '../common/backoff.js';
import { type Clock, errorText, sleep } from 'kube-common';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import type { ObjectBackground } from './object.background.js';

/** Seconds before the finalizer's removal is attempted again; the last delay repeats. */
const RELEASE_DELAYS = [1, 5, 15, 60];

/** Seconds before a patch is sent a second time, after an error that may be temporary. A second such error counts as a rejection. */
const REPETITION_DELAY = 1;

/** Seconds between the attempts of a patch that meets conflicts. After the last attempt, a conflict counts as a rejection. */
const CONFLICT_DELAYS = [1, 2, 5, 10, 30];

/** The part of a daemon's or a timer's patch that was not stored. */
export interface BackgroundPatchResult {
  readonly unsent?: UnsentPatch;
  readonly rejection?: Error;
}

/** The session in which patches are sent. */
export interface PatchingScope {
  /** Aborted when no more requests can be sent. */
  readonly signal: AbortSignal;
  /** The resources for which a warning was logged that the cluster does not keep their status. */
  readonly pruned: Set<string>;
}

/** The sender of the patches of daemons and timers. */
@Injectable()
export class BackgroundPatching {
  constructor(
    @Inject(PatchingClient) private readonly client: PatchingClient,
    @Inject(PatchVerification) private readonly verification: PatchVerification,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
    @InjectOwn(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sends the patch of an attempt. Never rejects.
   *
   * @param term the leadership term in which the attempt was begun; nothing is sent after it.
   * @returns the changes that could not be sent and are to be sent with the next patch, or the API server's reason for rejecting them.
   */
  async send(
    { resource, patch, logger }: SpawningCause,
    background: ObjectBackground,
    scope: PatchingScope,
    term?: LeadershipTerm,
  ): Promise<BackgroundPatchResult> {
    if (patch.isEmpty) return {};
    await background.untilReleased();
    await term?.pending;
    if (term?.isOver) {
      logger.warn('What the handler wants to be changed is not stored, as another operator may be at work.');
      return {};
    }
    const { signal, pruned } = scope;
    const sending = this.sendPatiently({ resource, patch, logger, signal, fence: term }, background, term);
    background.sending = sending;
    const result = await sending;
    if (background.sending === sending) background.sending = undefined;
    if (term?.isOver) return {};
    this.verification.verify(resource, patch, result, logger, pruned);
    if (result.outcome === 'failed' && !signal.aborted) {
      logger.error(
        `The changes could not be sent; they are sent with the next ones: ${errorText(result.error)}`,
        result.error,
      );
    }
    if (result.outcome === 'gone' || result.outcome === 'stored') return {};
    const { fields, transformations } = result.unsent;
    const unsent = isEmptyMap(fields) && transformations.length === 0 ? undefined : result.unsent;
    return result.outcome === 'rejected' ? { rejection: result.error, unsent } : { unsent };
  }

  /** Sends a patch, and repeats it after an error that may be temporary, or after a conflict, for which the object is read again. */
  private async sendPatiently(
    request: Omit<PatchRequest, 'body'>,
    background: ObjectBackground,
    term: LeadershipTerm | undefined,
  ): Promise<PatchResult> {
    const { signal } = request;
    let { patch } = request;
    let isRepeated = false;
    for (let conflicts = 0; ;) {
      const once = isRepeated || conflicts >= CONFLICT_DELAYS.length;
      const { newest: body } = background;
      const result: PatchResult = await this.client.applyPatch({ ...request, patch, body, separately: true, once });
      if ('body' in result && result.body) background.recordPatched(result.body);
      if (signal?.aborted || term?.isOver) return result;
      if (result.outcome === 'conflict' && !once) {
        await sleep(this.clock, CONFLICT_DELAYS[conflicts++], signal);
        await this.catchUp(request, background, body);
      } else if (result.outcome === 'failed' && result.isAnswered) {
        isRepeated = true;
        await sleep(this.clock, REPETITION_DELAY, signal);
      } else return result;
      if (!background.hasBody) return result;
      patch = new ResourcePatch(result.unsent);
    }
  }

  /** Reads the object after a conflict, unless the watch has shown a newer state in the meantime. Never rejects. */
  private async catchUp(
    { resource, logger, signal }: Omit<PatchRequest, 'body'>,
    background: ObjectBackground,
    known: KubeObject,
  ): Promise<void> {
    if (
      signal?.aborted ||
      !background.hasBody ||
      background.newest.metadata.resourceVersion !== known.metadata.resourceVersion
    )
      return;
    try {
      const found = await this.client.read(resource, known, signal);
      if (found) background.recordPatched(found);
    } catch (error) {
      logger?.debug(() => `The object could not be read after the conflict: ${errorText(error)}`);
    }
  }

  /**
   * Removes the finalizer from an object whose daemons and timers have all ended by themselves. Retries while the API server cannot be
   * reached. If the object has changed in the meantime, the event cycle of that change removes it. Never rejects.
   */
  async release(
    { resource, body, patch, logger }: SpawningCause,
    background: ObjectBackground,
    { signal }: PatchingScope,
    term?: LeadershipTerm,
  ): Promise<void> {
    const { finalizer, formerFinalizers } = this.settings.persistence;
    if (!isDeletionBlocked(body, finalizer, formerFinalizers) || isDeletionOngoing(body)) return;
    await background.untilReleased();
    await term?.pending;
    if (term?.isOver) return;
    logger.debug('Removing the finalizer, as all daemons and timers have ended.');
    patch.transform(allowDeletion(finalizer, formerFinalizers));
    for (let failures = 1; !signal.aborted && !term?.isOver; failures++) {
      const { outcome } = await this.client.applyPatch({ resource, body, patch, logger, signal, fence: term });
      if (outcome !== 'failed' && outcome !== 'rejected') return;
      logger.debug('The finalizer could not be removed, which is tried again.');
      await sleep(this.clock, backoffDelay(RELEASE_DELAYS, failures), signal);
    }
  }
}
