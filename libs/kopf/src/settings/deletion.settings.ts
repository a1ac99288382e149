import { IsIn } from 'class-validator';

/** How handlers of deletions are treated. The defaults are Kopf's behaviour. */
export class DeletionSettings {
  /** What happens to an object whose deletion handler has failed for good: it is let go, or it stays until somebody decides. @default 'release' */
  @IsIn(['release', 'block']) permanentErrors: 'release' | 'block' = 'release';

  /** Whether optional handlers are called, without retries, for objects that nothing of the operator holds. @default 'skip' */
  @IsIn(['skip', 'call']) optionalHandlers: 'skip' | 'call' = 'skip';

  /**
   * What happens to the progress of the deletion handlers when all have finished: it is removed from the object before the finalizer is,
   * or it stays there until the object goes. If the operator dies between these two requests, handlers run again only if it was removed.
   * @default 'purge'
   */
  @IsIn(['purge', 'keep']) progress: 'purge' | 'keep' = 'purge';
}
