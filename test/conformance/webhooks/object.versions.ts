import type { KubeObject } from 'nestjs-kopf';
import { isOlderVersion } from '../../../libs/kopf/src/objects/kube-object.js';
import type { ReceivedReview } from './webhook.server.js';

/**
 * The newest versions of objects that reviews and answers have shown.
 *
 * A real server reads an object that is to be changed from a cache: if that is behind, it finds out when it stores the change, reads the object
 * anew, and asks those webhooks that are for the object as it is now.
 */
export class ObjectVersions {
  private readonly newest = new Map<string, string>();

  /** Leaves out the reviews that were about an older state of their object than the newest. */
  withoutOutdated(reviews: readonly ReceivedReview[]): readonly ReceivedReview[] {
    for (const review of reviews) this.add(oldObjectOf(review));
    return reviews.filter((review) => !this.isOutdated(oldObjectOf(review)));
  }

  /** @param body an object, or anything else that a request was answered with */
  add(body: unknown): void {
    const { uid, resourceVersion } = metadataOf(body);
    if (uid && resourceVersion && !this.isOutdated(body)) this.newest.set(uid, resourceVersion);
  }

  private isOutdated(body: unknown): boolean {
    const { uid = '', resourceVersion = '' } = metadataOf(body);
    const newest = this.newest.get(uid);
    return newest !== undefined && isOlderVersion(resourceVersion, newest);
  }
}

function metadataOf(body: unknown): Partial<KubeObject['metadata']> {
  return (body as Partial<KubeObject> | null | undefined)?.metadata ?? {};
}

function oldObjectOf({ review }: ReceivedReview): KubeObject | null | undefined {
  return (review as { request: { oldObject?: KubeObject | null } }).request.oldObject;
}
