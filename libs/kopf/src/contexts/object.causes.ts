import { exposeMembers, HasMembers, OBJECT_MEMBERS } from './context.members.js';
import type { EventContext } from './contexts.interface.js';
import type { ObjectContext } from './filter-contexts.interface.js';
import type { Indices, IndicesByName } from './indices.interface.js';
import {
  withPresentParts,
  type KubeObject,
  type PresentMeta,
  type WatchEvent,
  type WatchEventType,
} from '../objects/kube-object.js';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { Resource } from '../resources/resources.js';
import type { ResourcePatch } from '../objects/patches.js';

/** The replacement of absent parts of objects: it is frozen, so that it can be shared. */
const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

/** The part that all causes of one event have in common. */
export interface CauseOrigin {
  readonly resource: Resource;
  readonly body: KubeObject;
  readonly patch: ResourcePatch;
  /** The memory of the object, whose memo is created when it is first read. */
  readonly memory: { readonly memo: any; readonly noticedByListing?: boolean };
  readonly indices: IndicesByName;
  readonly logger: KopfLogger;
}

/** The cause of calls of an object's handlers. With its members exposed, it is the context of the filters, too. */
@HasMembers<ObjectContext>(OBJECT_MEMBERS)
export abstract class ObjectCause implements ObjectContext {
  readonly resource: Resource;
  readonly body: KubeObject;
  readonly patch: ResourcePatch;
  readonly memory: { readonly memo: any };
  readonly indices: Indices;
  readonly logger: KopfLogger;
  private exposed?: this;
  private presentMeta?: PresentMeta;

  constructor(origin: CauseOrigin) {
    this.resource = origin.resource;
    this.body = origin.body;
    this.patch = origin.patch;
    this.memory = origin.memory;
    this.indices = origin.indices as Indices;
    this.logger = origin.logger;
  }

  /** The context of filters, and of other functions in the options of handlers; created when it is first read. */
  get filterContext(): this {
    return (this.exposed ??= exposeMembers(this));
  }

  get memo(): any {
    return this.memory.memo;
  }

  get spec(): any {
    return this.body.spec ?? NOTHING;
  }

  get meta(): PresentMeta {
    return (this.presentMeta ??= withPresentParts(this.body.metadata));
  }

  get status(): any {
    return this.body.status ?? NOTHING;
  }

  get name(): string {
    return this.body.metadata.name ?? '';
  }

  get namespace(): string | undefined {
    return this.body.metadata.namespace;
  }

  get uid(): string {
    return this.body.metadata.uid ?? '';
  }

  get labels(): Readonly<Record<string, string>> {
    return this.body.metadata.labels ?? NOTHING;
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.body.metadata.annotations ?? NOTHING;
  }
}

/** The cause of a raw event. */
@HasMembers<ObjectContext & Pick<EventContext, 'type' | 'event'>>({ ...OBJECT_MEMBERS, type: true, event: true })
export class WatchingCause extends ObjectCause {
  constructor(
    origin: CauseOrigin,
    readonly event: WatchEvent,
  ) {
    super(origin);
  }

  get type(): WatchEventType {
    return this.event.type;
  }
}

/** The cause of the indexing of an object. */
export class IndexingCause extends ObjectCause {}

/** The cause of the spawning of daemons and timers for an object. */
export class SpawningCause extends ObjectCause {}
