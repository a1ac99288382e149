import { Inject, Injectable } from '@nestjs/common';
import { Pauses } from '../../coordination/pausing/pauses.js';
import type { Inventory } from '../../handling/inventory.js';
import { IndexFreshness, type MissingData } from '../../indexing/index.freshness.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { HandlerRegistry } from '../../registry/handler.registry.js';
import type { Resource } from '../../resources/resources.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { WatcherSet } from '../../watching/watcher.set.js';
import { InjectOwn } from '../../kopf.tokens.js';

/** The memos of reviewed objects. A replica that handles no objects has none: its memos are those of an earlier time in which it led. */
@Injectable()
export class ReviewMemories {
  constructor(
    @InjectOwn(HandlerRegistry) private readonly registry: HandlerRegistry,
    @InjectOwn(WatcherSet) private readonly watchers: WatcherSet,
    @InjectOwn(IndexFreshness) readonly freshness: IndexFreshness,
    @Inject(Pauses) private readonly pauses: Pauses,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Returns the memory of an object that the operator handles; of any other object, one that is not kept. */
  peek(inventory: Inventory, body: KubeObject): { readonly memo: any } {
    return this.pauses.status.paused ? inventory.blank() : inventory.peek(body);
  }

  /** Returns the reason why this replica lacks the memory of an object that exists; `undefined` if it has the memory. */
  findMissing(resource: Resource, { metadata: { namespace, uid } }: KubeObject): MissingData | undefined {
    if (uid === undefined || !this.registry.isHandled(resource)) return undefined;
    const { paused, reasons } = this.pauses.status;
    if (paused) {
      if (this.settings.admission.standbyMemos === 'empty') return undefined;
      return { reason: `this replica of the operator pauses, and has no memos: ${reasons.join(' ')}` };
    }
    const { freshness, watchers } = this;
    const change = freshness.isKnown ? watchers.listing(resource, namespace) : freshness.known();
    return change && { reason: 'this replica of the operator has not listed the objects yet', change };
  }
}
