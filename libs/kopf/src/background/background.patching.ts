import { Inject, Injectable } from '@nestjs/common';
import { PatchVerification } from '../client/api/patch.verification.js';
import { PatchingClient } from '../client/api/patching.client.js';
import type { SpawningCause } from '../contexts/object.causes.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import { errorText } from '../common/texts.js';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import type { ObjectBackground } from './object.background.js';

/** Holds the part of a daemon's or a timer's patch that was not stored. */
export interface BackgroundPatchResult {
  readonly unsent?: UnsentPatch;
  readonly rejection?: Error;
}

/** Surrounds the sending of patches in a session. */
export interface PatchingScope {
  /** Aborted when nothing can be sent any longer. */
  readonly signal: AbortSignal;
  /** The resources of which it was reported that the cluster does not keep their status. */
  readonly pruned: Set<string>;
}

/** Sends what daemons and timers want to change. */
@Injectable()
export class BackgroundPatching {
  constructor(
    @Inject(PatchingClient) private readonly client: PatchingClient,
    @Inject(PatchVerification) private readonly verification: PatchVerification,
  ) {}

  /**
   * Sends the patch of an attempt. Never rejects.
   *
   * @param term the leadership with which the attempt was begun; after it, nothing is sent.
   * @returns what is to be sent with the next patch, as it could not be sent; or why the API server does not accept it.
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
    const { body } = background;
    const { signal, pruned } = scope;
    const result = await this.client.applyPatch({ resource, body, patch, logger, signal, fence: term });
    if (term?.isOver) return {};
    this.verification.verify(resource, patch, result, logger, pruned);
    if (result.outcome === 'rejected') return { rejection: result.error };
    if (result.outcome === 'failed' && !signal.aborted) {
      logger.error(
        `The changes could not be sent; they are sent with the next ones: ${errorText(result.error)}`,
        result.error,
      );
    }
    return 'unsent' in result ? { unsent: result.unsent } : {};
  }
}
