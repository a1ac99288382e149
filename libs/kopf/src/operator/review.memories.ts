import type { Pauses } from '../coordination/pausing/pauses.js';
import type { MemoSource } from '../admission/review/admission.processor.js';
import type { Inventory } from '../handling/inventory.js';
import type { IndexFreshness, MissingData } from '../indexing/index.freshness.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import type { Resource } from '../resources/resources.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { WatcherSet } from '../watching/watcher.set.js';

/** Lists what the memos of reviews depend on. */
export interface ReviewMemoriesParts {
  readonly inventory: Inventory;
  readonly registry: HandlerRegistry;
  readonly watchers: WatcherSet;
  readonly freshness: IndexFreshness;
  readonly pauses: Pauses;
  readonly settings: KopfSettings;
}

/**
 * Finds the memos of reviewed objects. A replica that handles no objects now has none of them: what it may have is from an
 * earlier time, in which it did.
 */
export class ReviewMemories implements MemoSource {
  constructor(private readonly parts: ReviewMemoriesParts) {}

  peek(body: KubeObject): { readonly memo: any } {
    const { inventory, pauses } = this.parts;
    return pauses.status.paused ? inventory.blank() : inventory.peek(body);
  }

  findMissing(resource: Resource, { metadata: { namespace, uid } }: KubeObject): MissingData | undefined {
    const { registry, watchers, freshness, pauses, settings } = this.parts;
    if (uid === undefined || !registry.isHandled(resource)) return undefined;
    const { paused, reasons } = pauses.status;
    if (paused) {
      if (settings.admission.standbyMemos === 'empty') return undefined;
      return { reason: `this replica of the operator pauses, and has no memos: ${reasons.join(' ')}` };
    }
    const change = freshness.isKnown ? watchers.listing(resource, namespace) : freshness.known();
    return change && { reason: 'this replica of the operator has not listed the objects yet', change };
  }
}
