import type { HandlerExecutor } from '../execution/handler.executor.js';
import type { ProgressState } from '../execution/progress.state.js';
import type { ChangingCause } from '../contexts/changing.cause.js';
import { isMap } from '../objects/json.js';
import { addedContent, hasContent, NO_CONTENT, revertedFields, type PatchContent } from '../objects/patch-content.js';
import type { ChangeAttempt } from './change.executor.js';

/** Sends a part of a patch on its own. Returns why the API server rejects it, if it does. */
export type LoneSending = (content: PatchContent) => Promise<Error | undefined>;

/** A patch that the API server has rejected, with all that was done for it. */
export interface RejectedPatch {
  /** Holds the content of the patch before any changing handler was called. */
  readonly before: PatchContent;
  readonly attempts: readonly ChangeAttempt[];
  readonly cause: ChangingCause;
  readonly state: ProgressState;
  readonly error: Error;
  readonly sendAlone: LoneSending;
}

/**
 * Makes those attempts failures that have added to the patch what the API server rejects, and empties the patch.
 *
 * If several handlers have added to it, each one's part is sent on its own: what is accepted is stored by that.
 * What sub-handlers have added belongs to the attempt of their parent.
 *
 * @throws the error if it was none of the handlers.
 */
export async function retractAttempts(executor: HandlerExecutor, rejected: RejectedPatch): Promise<void> {
  const { before, attempts, cause, state, error, sendAlone } = rejected;
  const { logger, patch, resource, body } = cause;
  const contents = [before, ...attempts.map(({ content }) => content)];
  const parts = contents
    .map((content, index) => ({
      handler: attempts[index - 1]?.handler,
      content: addedContent(contents[index - 1] ?? NO_CONTENT, content),
    }))
    .filter(({ content }) => hasContent(content));
  if (parts.length === 0) throw error;
  patch.clear();
  for (const { handler, content } of parts) {
    const rejection = parts.length > 1 ? await sendAlone(content) : error;
    if (!rejection) continue;
    // The status is stored before the rest of the object.
    const { status } = content.fields;
    const isStatusStored = resource.subresources.includes('status') && isMap(status);
    if (isStatusStored) patch.merge({ status: revertedFields(status, body.status) });
    if (handler) executor.failAttempt(handler, { state, logger, cause }, rejection);
    else
      logger.error(
        `The API server rejects what the handlers of events want; it is lost: ${rejection.message}`,
        rejection,
      );
  }
}
