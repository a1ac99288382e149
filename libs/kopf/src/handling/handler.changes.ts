import type { ChangingHandler } from '../registry/handler.js';
import { addedContent, contentWithin, hasContent, NO_CONTENT, type PatchContent } from '../objects/patch-content.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourcePatch } from '../objects/patches.js';

/** The cycle in which a step is concluded: that of its attempts, or a later one if their changes could not be sent before. */
export interface ConcludingCycle {
  readonly body: KubeObject;
  readonly bookkeeping: ResourcePatch;
  readonly isDeleted: boolean;
  readonly logger: KopfLogger;
}

/** What one handler of a change wants to be changed. */
export interface HandlerChange {
  /** Absent for what the handlers of events want. */
  readonly handler?: ChangingHandler;
  readonly content: PatchContent;
}

/** One attempt of a handler, with the content of the patch after it. */
export interface AttemptedContent {
  readonly handler: ChangingHandler;
  readonly content: PatchContent;
}

/** What the handlers of one step want to be changed, each by itself, and what follows if it is refused. */
export class HandlerChanges {
  constructor(
    /** The content of the patch before any of them was called. */
    private readonly before: PatchContent,
    private readonly attempts: readonly AttemptedContent[],
    /**
     * Makes failures of attempts, and concludes the step again: how it ends, and what is to be stored of it.
     *
     * @returns seconds until each of the handlers left is due.
     */
    readonly fail: (failures: ReadonlyMap<ChangingHandler, Error>, cycle: ConcludingCycle) => readonly number[],
  ) {}

  /** Lists them one by one. */
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
 * Divides the content of a patch by those who want it.
 *
 * @param handlerChanges those of the handlers that were called for it, in this cycle or in an earlier one.
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

/** Returns what of a content is not in another one. */
function withoutContent(content: PatchContent, other: PatchContent): PatchContent {
  return addedContent(other, content);
}
