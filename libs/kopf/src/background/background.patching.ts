import type { PatchVerification } from '../client/api/patch.verification.js';
import type { PatchingClient } from '../client/api/patching.client.js';
import type { SpawningCause } from '../contexts/spawning.cause.js';
import type { UnsentPatch } from '../objects/patch-content.js';
import { errorText } from '../common/error-text.js';
import type { LeadershipTerm } from '../coordination/pausing/leadership.term.js';
import type { ObjectBackground } from './object.background.js';

/** Holds the part of a daemon's or a timer's patch that was not stored. */
export interface BackgroundPatchResult {
  readonly unsent?: UnsentPatch;
  readonly rejection?: Error;
}

/** Sends what daemons and timers want to change. */
export class BackgroundPatching {
  constructor(
    private readonly client: PatchingClient,
    private readonly verification: PatchVerification,
    /** Has the signal that is aborted when nothing can be sent any longer. */
    private readonly scope: { readonly signal: AbortSignal },
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
    const { signal } = this.scope;
    const result = await this.client.applyPatch({ resource, body, patch, logger, signal, fence: term });
    if (term?.isOver) return {};
    if (result.outcome === 'stored' && result.body) this.verification.verify(resource, patch, result.body, logger);
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
