import { Injectable } from '@nestjs/common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { errorText } from 'kube-common';
import { InjectOwn, KOPF_LOGGER } from '../../kopf.tokens.js';
import type { Resource } from '../../resources/resources.js';
import { KOPF_CHANNELS } from '../../diagnostics/channels.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { KubeApi } from './api.client.js';
import { ObjectReader } from './object.reader.js';
import { PatchSequence } from './patch.sequence.js';
import type { PatchRequest, PatchResult } from './patch.request.js';

/**
 * The client of patches, which sends the changes of an object in as few requests as possible: none to four.
 *
 * Each request applies only to the object that the changes were made for, never to another object that has got its name in the meantime.
 */
@Injectable()
export class PatchingClient {
  private readonly reader: ObjectReader;

  constructor(
    @InjectOwn(KubeApi) private readonly api: KubeApi,
    @InjectOwn(KOPF_LOGGER) private readonly logger: KopfLogger,
    @InjectOwn(KopfSettings) private readonly settings: Pick<KopfSettings, 'patching'>,
  ) {
    this.reader = new ObjectReader(api);
  }

  /**
   * Sends a patch: its fields as merge patches, or by server-side apply, then its transformations as JSON patches, which apply only to the
   * version that they were made for. If the status is a subresource, it is patched separately. Never rejects.
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

  /** Reads the object that patches are for; `undefined` if it is gone. */
  read(resource: Resource, { metadata }: KubeObject, signal?: AbortSignal): Promise<KubeObject | undefined> {
    return this.reader.read(resource, metadata, signal);
  }

  /** Sends a patch, and publishes its start and its end on the diagnostic channels. */
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
