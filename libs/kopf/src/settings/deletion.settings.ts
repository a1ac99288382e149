import { IsIn } from 'class-validator';

/** How handlers of deletions are treated. The defaults are Kopf's behaviour. */
export class DeletionSettings {
  /** What happens to an object whose deletion handler has failed for good: it is let go, or it stays until somebody decides. @default 'release' */
  @IsIn(['release', 'block']) permanentErrors: 'release' | 'block' = 'release';

  /** Whether optional handlers are called, without retries, for objects that nothing of the operator holds. @default 'skip' */
  @IsIn(['skip', 'call']) optionalHandlers: 'skip' | 'call' = 'skip';
}
