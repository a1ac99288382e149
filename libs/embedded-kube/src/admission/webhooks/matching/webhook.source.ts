import type { ObjectStore } from '../../../storage/object.store.js';
import type { StoredObject } from '../../../storage/stored.object.js';
import type { WebhookConfiguration } from '../webhook.types.js';
import { type CompiledWebhook, compileConfiguration } from './compiled.webhook.js';

/** All webhooks of one sort, in the order in which they are asked: that of their configurations' names, then their own. */
export class WebhookSource {
  private readonly compiled = new WeakMap<StoredObject, readonly CompiledWebhook[]>();
  private current: readonly CompiledWebhook[] | undefined;

  /** @param collection the one that holds the configurations */
  constructor(
    private readonly store: ObjectStore,
    private readonly collection: string,
  ) {}

  /** Follows the configurations. */
  start(): void {
    this.store.collection(this.collection).subscribe(() => {
      this.current = undefined;
    });
  }

  /** The webhooks of now; the same array until a configuration changes. */
  get webhooks(): readonly CompiledWebhook[] {
    this.current ??= this.store
      .collection(this.collection)
      .list()
      .flatMap((stored) => this.compile(stored));
    return this.current;
  }

  private compile(stored: StoredObject): readonly CompiledWebhook[] {
    let webhooks = this.compiled.get(stored);
    if (!webhooks) {
      webhooks = compileConfiguration(stored.object as WebhookConfiguration);
      this.compiled.set(stored, webhooks);
    }
    return webhooks;
  }
}
