import type { TestingModule } from '@nestjs/testing';
import {
  type CauseOrigin,
  type EventPoster,
  HandlerRegistry,
  IndexRegistry,
  type ObjectMemory,
  OperatorLifecycle,
  type ResourceHandlers,
  ResourcePatch,
  type SessionEngine,
  SilentLogger,
} from 'nestjs-kopf/tooling';
import { KopfSettings, KopfWatcher, type KubeObject, type Resource } from 'nestjs-kopf';
import { foldedName } from './final.state.js';

/** Lists the objects of a resource in the cluster; without a namespace, those of all namespaces. */
export type ObjectLister = (resource: Resource, namespace: string | undefined) => readonly KubeObject[];

/** An object of the cluster, with its handlers and the operator's memory of it. */
export interface RestingObject {
  readonly name: string;
  readonly body: KubeObject;
  readonly handlers: ResourceHandlers;
  readonly memory: ObjectMemory;
  /** The arguments of filters and indexing handlers, as in an event cycle. */
  readonly origin: CauseOrigin;
  /** Whether the object is in the selection that the operator watches. */
  readonly isSelected: boolean;
  /** Whether the operator's memory and stored state of the object may be wrong, as a part of its patches is rejected until the end of the run. */
  readonly isExempt: boolean;
}

/** Discards the events that indexing handlers post when a check calls them. */
export const NO_EVENTS: EventPoster = { post: () => {} };

/** An operator at rest with the objects that it watches, so that its state can be compared with the expected one. */
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
        const isSelected = handlers.commonSelector?.check(body) ?? true;
        return { name: foldedName(body), body, handlers, memory, origin, isSelected, isExempt: isExempt(body) };
      });
    });
  }

  /** Inspects an operator; `undefined` if it is not running: it is paused, as another replica leads, or it has no handlers. */
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
