import { Inject, Injectable } from '@nestjs/common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { errorText } from 'kube-common';
import { KOPF_LOGGER } from '../../kopf.tokens.js';
import type { Resource } from '../../resources/resources.js';
import type { UnsentPatch } from '../../objects/patch-content.js';
import type { ResourcePatch } from '../../objects/patches.js';
import { KOPF_CHANNELS } from '../../diagnostics/channels.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { KubeApi } from './api.client.js';
import { ObjectReader } from './object.reader.js';
import { PatchSequence } from './patch.sequence.js';
import type { RequestFence } from '../../common/request.fence.js';

/** Tells which object is patched, and how. */
export interface PatchRequest {
  readonly resource: Resource;
  /** The object as known so far; transformations apply to it unless the merge patch brings a newer one. */
  readonly body: KubeObject;
  readonly patch: ResourcePatch;
  /** The object's logger. @default the client's */
  readonly logger?: KopfLogger;
  readonly signal?: AbortSignal;
  /** Decides right before each request whether it can be sent. */
  readonly fence?: RequestFence;
  /** Sends each part of the patch even if another part is refused. @default false: nothing is sent after a rejection */
  readonly separately?: boolean;
  /** Makes each request once, and takes any answer but success for a rejection, as the same was refused before. @default false */
  readonly once?: boolean;
}

/** Names the parts of a patch, each of which has requests of its own; without the subresource, the status is a part of the object. */
export type PatchPart = 'status' | 'object' | 'transformations';

/** Reports how a patch ended. */
export type PatchResult =
  /** Everything is stored, if there was anything to send. */
  | { readonly outcome: 'stored'; readonly body?: KubeObject }
  /** Reports that the object does not exist any more, even if another object has its name now. */
  | { readonly outcome: 'gone' }
  /** The object has changed meanwhile, or another conflict kept the rest from being stored. */
  | { readonly outcome: 'conflict'; readonly body?: KubeObject; readonly unsent: UnsentPatch; readonly error: Error }
  /** Reports that the API server rejects the patch, now and later; or that a transformation has thrown. */
  | {
      readonly outcome: 'rejected';
      readonly body?: KubeObject;
      readonly error: Error;
      /** The parts that were refused; those after the first one only if parts are sent separately. */
      readonly parts: readonly PatchPart[];
      /** What is neither stored nor refused. */
      readonly unsent: UnsentPatch;
    }
  /** The patch was not stored in spite of retries: the API server cannot be reached, it fails, or it does not let this patch pass. */
  | {
      readonly outcome: 'failed';
      readonly body?: KubeObject;
      readonly unsent: UnsentPatch;
      readonly error: unknown;
      /** Is true if the API server works: it shows the object, but answers to the patch with an error that may pass. */
      readonly isAnswered: boolean;
    };

/**
 * Sends the changes of objects in as few requests as possible: none to four.
 *
 * Each request applies only to the very object that the changes were made for, never to another one that got its name meanwhile.
 */
@Injectable()
export class PatchingClient {
  private readonly reader: ObjectReader;

  constructor(
    @Inject(KubeApi) private readonly api: KubeApi,
    @Inject(KOPF_LOGGER) private readonly logger: KopfLogger,
    @Inject(KopfSettings) private readonly settings: Pick<KopfSettings, 'patching'>,
  ) {
    this.reader = new ObjectReader(api);
  }

  /**
   * Sends a patch: its fields as merge patches, or by server-side apply, then its transformations as JSON patches, which apply only to the version
   * that they were made for; each of both for the status, if this is a subresource, and for the object. Never rejects.
   */
  applyPatch(request: PatchRequest): Promise<PatchResult> {
    const logger = request.logger ?? this.logger;
    try {
      request.patch.settle();
    } catch (error) {
      logger.error(`A handler has written into the patch after it had ended: ${errorText(error)}`);
    }
    const sequence = new PatchSequence(this.api, this.reader, request, logger, this.settings.patching);
    return KOPF_CHANNELS.patchEnd.hasSubscribers ? this.sendFollowed(request, sequence) : sequence.send();
  }

  /** Reads the very object that patches are for; `undefined` if it has gone. */
  read(resource: Resource, { metadata }: KubeObject, signal?: AbortSignal): Promise<KubeObject | undefined> {
    return this.reader.read(resource, metadata, signal);
  }

  /** Sends a patch, and tells of it those who follow what the operator does. */
  private sendFollowed({ resource, body }: PatchRequest, sequence: PatchSequence): Promise<PatchResult> {
    const { operator, clock } = this.api;
    const startedAt = clock.now();
    const begun = clock.monotonic();
    return sequence.send().then((result) => {
      const duration = (clock.monotonic() - begun) / 1000;
      KOPF_CHANNELS.patchEnd.publish({ operator, resource, body, startedAt, duration, outcome: result.outcome });
      return result;
    });
  }
}
