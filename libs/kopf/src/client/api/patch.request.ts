import type { KubeObject } from '../../objects/kube-object.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { Resource } from '../../resources/resources.js';
import type { UnsentPatch } from '../../objects/patch-content.js';
import type { ResourcePatch } from '../../objects/patches.js';
import type { RequestFence } from '../../common/request.fence.js';

/** A patch of one object, and how it is sent. */
export interface PatchRequest {
  readonly resource: Resource;
  /** The object as it is known. Transformations are applied to it, or to the newer state that the merge patch returns. */
  readonly body: KubeObject;
  readonly patch: ResourcePatch;
  /** The object's logger. @default the client's */
  readonly logger?: KopfLogger;
  readonly signal?: AbortSignal;
  /** The fence that lets each request pass or not, right before it is sent. */
  readonly fence?: RequestFence;
  /** Whether each part of the patch is sent even if another part is rejected. @default false: nothing is sent after a rejection */
  readonly separately?: boolean;
  /**
   * Whether each request is made once, and any response but success is a rejection, as the same patch was rejected before.
   * @default false
   */
  readonly once?: boolean;
}

/** The parts of a patch, each with separate requests; without the subresource, the status is a part of the object. */
export type SentPart = 'status' | 'object' | 'transformations';

/** The result of sending a patch. */
export type PatchResult =
  /** Everything is stored, if there was anything to send. */
  | { readonly outcome: 'stored'; readonly body?: KubeObject }
  /** The object does not exist any more, even if another object has its name now. */
  | { readonly outcome: 'gone' }
  /** The object has changed since it was read, or another conflict kept the rest from being stored. */
  | { readonly outcome: 'conflict'; readonly body?: KubeObject; readonly unsent: UnsentPatch; readonly error: Error }
  /** The API server rejects the patch, now and later; or a transformation has thrown. */
  | {
      readonly outcome: 'rejected';
      readonly body?: KubeObject;
      readonly error: Error;
      /** The rejected parts; several only if the parts are sent separately. */
      readonly parts: readonly SentPart[];
      /** The changes that are neither stored nor rejected. */
      readonly unsent: UnsentPatch;
    }
  /** The patch was not stored in spite of retries: the API server cannot be reached, it fails, or it does not accept this patch now. */
  | {
      readonly outcome: 'failed';
      readonly body?: KubeObject;
      readonly unsent: UnsentPatch;
      readonly error: unknown;
      /** Whether the API server works: it shows the object, but answers the patch with an error that may be temporary. */
      readonly isAnswered: boolean;
    };
