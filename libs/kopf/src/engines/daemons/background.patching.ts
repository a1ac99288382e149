import type { PatchVerification } from '../../client/patch.verification.js';
import type { PatchingClient } from '../../client/patching.client.js';
import type { PatchTransformation } from '../../interfaces/patch.interface.js';
import type { SpawningCause } from '../../registry/spawning.cause.js';
import { errorText } from '../../utils/error-text.js';
import type { ObjectBackground } from './object.background.js';

/** Sends what daemons and timers want to change. */
export class BackgroundPatching {
  constructor(
    private readonly client: PatchingClient,
    private readonly verification: PatchVerification,
    /** Has the signal that is aborted when nothing can be sent any longer. */
    private readonly scope: { readonly signal: AbortSignal },
  ) {}

  /**
   * Sends the patch of an attempt. Never rejects: what cannot be sent, in spite of retries, is logged.
   *
   * @returns the transformations that are to be tried again, as the object has changed meanwhile.
   */
  async send(
    { resource, patch, logger }: SpawningCause,
    background: ObjectBackground,
  ): Promise<readonly PatchTransformation[] | undefined> {
    if (patch.isEmpty) return undefined;
    await background.untilReleased();
    const { body } = background;
    const { name = '', namespace } = body.metadata;
    const { signal } = this.scope;
    try {
      const request = { resource, namespace, name, body, patch, logger, signal };
      const { body: patched, remaining } = await this.client.applyPatch(request);
      if (patched) this.verification.verify(resource, patch, patched, logger);
      return remaining?.transformations;
    } catch (error) {
      logger.error(`The changes could not be sent, and are lost: ${errorText(error)}`, error);
      return undefined;
    }
  }
}
