import type { ChangingHandler } from '../registry/handler.js';
import { addedContent, contentWithin, hasContent, NO_CONTENT, type PatchContent } from '../objects/patch-content.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourcePatch } from '../objects/patches.js';

/** The cycle in which a step ends: that of its attempts, or a later one if their changes could not be sent before. */
export interface ConcludingCycle {
  readonly body: KubeObject;
  readonly bookkeeping: ResourcePatch;
  readonly isDeleted: boolean;
  readonly logger: KopfLogger;
}

/** The changes by one handler. */
export interface HandlerChange {
  /** Absent for changes by `@OnEvent` handlers. */
  readonly handler?: ChangingHandler;
  readonly content: PatchContent;
}

/** One attempt of a handler, with the content of the patch after it. */
export interface AttemptedContent {
  readonly handler: ChangingHandler;
  readonly content: PatchContent;
}

/** The changes of one step, divided by the handlers that have made them, and the end of the step if the API server rejects some of them. */
export class HandlerChanges {
  constructor(
    /** The content of the patch before the first handler was called. */
    private readonly before: PatchContent,
    private readonly attempts: readonly AttemptedContent[],
    /**
     * Turns attempts into failures, and ends the step again, with the state to store.
     *
     * @returns for each unfinished handler, the seconds until it is due.
     */
    readonly fail: (failures: ReadonlyMap<ChangingHandler, Error>, cycle: ConcludingCycle) => readonly number[],
  ) {}

  /** The changes by each handler. */
  get all(): readonly HandlerChange[] {
    const contents = [NO_CONTENT, this.before, ...this.attempts.map(({ content }) => content)];
    return contents
      .slice(1)
      .map((content, index) => ({
        handler: this.attempts[index - 1]?.handler,
        content: addedContent(contents[index], content),
      }))
      .filter(({ content }) => hasContent(content));
  }
}

/**
 * Divides the content of a patch by the handlers that have written it.
 *
 * @param handlerChanges the changes by the handlers that were called, in this cycle or in an earlier one.
 */
export function divideByHandler(
  content: PatchContent,
  handlerChanges: HandlerChanges | undefined,
): readonly HandlerChange[] {
  const known = (handlerChanges?.all ?? [])
    .map(({ handler, content: wanted }) => ({ handler, content: contentWithin(wanted, content) }))
    .filter(({ content: left }) => hasContent(left));
  const rest = known.reduce((left, change) => withoutContent(left, change.content), content);
  return hasContent(rest) ? [{ content: rest }, ...known] : known;
}

/** Returns the fields and transformations of a patch that another patch does not have. */
function withoutContent(content: PatchContent, other: PatchContent): PatchContent {
  return addedContent(other, content);
}
