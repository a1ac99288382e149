import type { TestingModule } from '@nestjs/testing';
import type { EventPoster } from '../../contexts/object-events.js';
import type { CauseOrigin } from '../../contexts/object.causes.js';
import type { ObjectMemory } from '../../handling/object.memory.js';
import { IndexRegistry } from '../../indexing/index.registry.js';
import type { KubeObject } from '../../objects/kube-object.js';
import { ResourcePatch } from '../../objects/patches.js';
import { OperatorLifecycle } from '../../operator/operator.lifecycle.js';
import type { SessionEngine } from '../../operator/session.engine.js';
import { HandlerRegistry, type ResourceHandlers } from '../../registry/handler.registry.js';
import type { Resource } from '../../resources/resources.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { SilentLogger } from '../../common/kopf.logger.js';
import { KopfWatcher } from '../../watching/kopf.watcher.js';
import { foldedName } from './final.state.js';

/** Lists the objects of a resource as the cluster has them; those of all namespaces without one. */
export type ObjectLister = (resource: Resource, namespace: string | undefined) => readonly KubeObject[];

/** An object of the cluster, with what the operator has to do with it. */
export interface RestingObject {
  readonly name: string;
  readonly body: KubeObject;
  readonly handlers: ResourceHandlers;
  readonly memory: ObjectMemory;
  /** Filters and indexing handlers are asked with it, as in an event cycle. */
  readonly origin: CauseOrigin;
  /** Is false if the operator does not watch the object, as it is not what all handlers of the resource ask for. */
  readonly isSelected: boolean;
  /** Is true if what the operator keeps of the object, and on it, need not be right: a part of its patches is rejected for ever. */
  readonly isExempt: boolean;
}

/** Takes no notice of the events that indexing handlers post when they are called by a check. */
export const NO_EVENTS: EventPoster = { post: () => {} };

/** An operator that is at rest, beside the objects that it watches: what it keeps can be compared with what it should keep. */
export class RestingOperator {
  readonly settings: KopfSettings;
  readonly objects: readonly RestingObject[];

  private constructor(
    readonly module: TestingModule,
    readonly engine: SessionEngine,
    list: ObjectLister,
    isExempt: (body: KubeObject) => boolean,
  ) {
    this.settings = this.get(KopfSettings);
    const registry = this.get(HandlerRegistry);
    const indices = this.get(IndexRegistry).all;
    const logger = new SilentLogger();
    this.objects = this.get(KopfWatcher).states.flatMap(({ resource, namespace }) => {
      const handlers = registry.handlersOf(resource);
      return list(resource, namespace).map((body) => {
        const memory = engine.inventory.peek(body);
        const origin = { resource, body, patch: new ResourcePatch(), memory, indices, logger };
        const isSelected = handlers.selection?.check(body) ?? true;
        return { name: foldedName(body), body, handlers, memory, origin, isSelected, isExempt: isExempt(body) };
      });
    });
  }

  /** Looks at an operator; `undefined` if it does not work: it pauses, as another replica works, or it has no handlers. */
  static of(
    module: TestingModule,
    list: ObjectLister,
    isExempt: (body: KubeObject) => boolean = () => false,
  ): RestingOperator | undefined {
    const { state, engine } = module.get(OperatorLifecycle, { strict: false });
    return state === 'running' && engine ? new RestingOperator(module, engine, list, isExempt) : undefined;
  }

  get<T>(service: abstract new (...args: any[]) => T): T {
    return this.module.get<T>(service as never, { strict: false });
  }
}
