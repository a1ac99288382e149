import { StatusError } from '../errors/status.error.js';
import type { Controller, ControllerClient, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import type { Clock } from 'kube-common';
import { EventLoopTurns } from '../common/event-loop.turns.js';
import { jsonEqual } from '../common/json.values.js';
import { timestamp } from '../common/timestamps.js';
import type { KubeObject } from '../resources/kube-object.js';
import { EventRecorder } from './event.recorder.js';
import { objectKey, splitKey, WorkQueue } from './work.queue.js';

/**
 * The common part of controllers that bring the cluster into line with the objects of one resource: a queue of their keys, filled by their
 * changes and by those of what depends on them.
 */
export abstract class ReconcilingController implements Controller {
  /** The name as the real controller manager knows it: `deployment-controller`. */
  abstract readonly name: string;
  protected client: ControllerClient;
  protected clock: Clock;
  protected events: EventRecorder;
  protected queue: WorkQueue;
  /** The count of writes of long work, which must not hold up the process. */
  protected turns: EventLoopTurns;
  private unwatch: (() => void)[] = [];

  constructor(protected readonly resource: ResourceId) {}

  /** The component that posts the events. */
  protected get eventSource(): string {
    return this.name;
  }

  start(context: ControllerContext): void {
    this.client = context.client;
    this.clock = context.clock;
    this.turns = new EventLoopTurns(context.clock);
    this.events = new EventRecorder(context.client, context.clock, this.eventSource);
    this.queue = new WorkQueue(this.name, (key) => this.process(key), context);
    this.unwatch = [this.client.watch(this.resource, (event) => this.observe(event)), ...this.watchOthers()];
    for (const object of this.client.list(this.resource)) this.queue.add(objectKey(object));
  }

  async stop(): Promise<void> {
    for (const unwatch of this.unwatch) unwatch();
    await this.queue?.stop();
  }

  /** Brings the cluster into line with one object. A rejection is tried again later. */
  protected abstract reconcile(object: KubeObject, key: string): Promise<void>;

  /** Watches what the controller depends on besides its own resource. @returns the functions that end the watches */
  protected watchOthers(): (() => void)[] {
    return [];
  }

  /** Handles what is left to do for an object that is gone. */
  protected async reconcileGone(_namespace: string | undefined, _name: string): Promise<void> {}

  protected observe({ object }: ObjectEvent): void {
    this.queue.add(objectKey(object));
  }

  /** Replaces the status, unless it is the same already. */
  protected async updateStatus(object: KubeObject, status: object): Promise<void> {
    const next = withoutAbsent(status);
    if (jsonEqual(object.status ?? {}, next)) return;
    const { namespace, name = '' } = object.metadata;
    const current = this.client.get(this.resource, namespace, name);
    if (current?.metadata.uid !== object.metadata.uid) return;
    const { resourceVersion } = object.metadata;
    const metadata = { ...current?.metadata, resourceVersion };
    await this.client.update(this.resource, namespace, name, { ...current, metadata, status: next }, 'status');
  }

  /** The present time as objects carry it. */
  protected get now(): string {
    return timestamp(this.clock.now());
  }

  private async process(key: string): Promise<void> {
    const [namespace, name] = splitKey(key);
    const object = this.client.get(this.resource, namespace, name);
    try {
      if (object) await this.reconcile(object, key);
      else await this.reconcileGone(namespace, name);
    } catch (error) {
      // Nothing can be created in a namespace that is being deleted, now or later.
      if (!isNamespaceTerminating(error)) throw error;
    }
  }
}

/** Leaves out the members without a value, as they are not stored. */
function withoutAbsent(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof StatusError && !!error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating')
  );
}
