import { EventLoopTurns } from '../common/event-loop.turns.js';
import type { Controller, ControllerContext, ObjectEvent, ResourceId } from './controller.js';
import type { ApiResource } from '../resources/api-resource.js';
import type { KubeObject } from '../resources/kube-object.js';
import { jsonEqual } from '../common/json.values.js';
import { timestamp } from '../common/timestamps.js';
import { type NamespaceCondition, namespaceConditions, type NamespaceRemains } from './namespace.conditions.js';
import { ignoringGone, WorkQueue } from './work.queue.js';

const NAMESPACES: ResourceId = { group: '', plural: 'namespaces' };
const PODS: ResourceId = { group: '', plural: 'pods' };
const FINALIZER = 'kubernetes';
/**
 * The time that a terminating namespace exists even if it is empty, in milliseconds: on the real server, clients can see it for some
 * seconds.
 */
const TERMINATION_DELAY = 100;
const NOTHING: NamespaceRemains = { objects: new Map(), finalizers: new Map() };

/**
 * The controller that empties deleted namespaces, the pods first, writes into their status what is left in them, and removes their
 * finalizer once they are empty.
 */
export class NamespaceController implements Controller {
  readonly name = 'namespace-controller';
  private readonly terminating = new Set<string>();
  private turns: EventLoopTurns;
  private context: ControllerContext;
  private queue: WorkQueue;
  private unwatch: () => void = () => undefined;

  start(context: ControllerContext): void {
    this.context = context;
    this.turns = new EventLoopTurns(context.clock);
    this.queue = new WorkQueue(this.name, (name) => this.process(name), context);
    this.unwatch = context.client.watch('all', (event) => this.observe(event));
    for (const namespace of context.client.list(NAMESPACES)) this.observeNamespace(namespace, 0);
  }

  async stop(): Promise<void> {
    this.unwatch();
    await this.queue?.stop();
  }

  private observe({ type, resource, object }: ObjectEvent): void {
    if (resource.plural === NAMESPACES.plural && resource.group === NAMESPACES.group) {
      if (type === 'DELETED') this.terminating.delete(object.metadata.name ?? '');
      else this.observeNamespace(object);
    } else if (type === 'DELETED' && this.terminating.has(object.metadata.namespace ?? '')) {
      this.queue.add(object.metadata.namespace!);
    }
  }

  private observeNamespace({ metadata }: KubeObject, delay = TERMINATION_DELAY): void {
    if (!metadata.deletionTimestamp || !metadata.name) return;
    const isNew = !this.terminating.has(metadata.name);
    this.terminating.add(metadata.name);
    if (isNew) this.queue.addAfter(metadata.name, delay);
    else this.queue.add(metadata.name);
  }

  private async process(name: string): Promise<void> {
    const { client } = this.context;
    const namespace = client.get(NAMESPACES, undefined, name);
    const finalizers = (namespace?.spec as { finalizers?: readonly string[] } | undefined)?.finalizers ?? [];
    if (!namespace?.metadata.deletionTimestamp || !finalizers.includes(FINALIZER)) return;
    await this.empty(name, (resource) => isPods(resource));
    if (client.list(PODS, name).length) {
      // As on the real server, the status lists nothing else before the pods are gone.
      await this.report(namespace, NOTHING);
      return;
    }
    await this.empty(name, (resource) => !isPods(resource));
    const remains = this.remains(name);
    await this.report(namespace, remains);
    if (remains.objects.size) return;
    const current = client.get(NAMESPACES, undefined, name);
    if (!current) return;
    const spec = { ...(current.spec as object), finalizers: finalizers.filter((each) => each !== FINALIZER) };
    await ignoringGone(client.update(NAMESPACES, undefined, name, { ...current, spec }, 'finalize'));
  }

  private async empty(namespace: string, isConcerned: (resource: ApiResource) => boolean): Promise<void> {
    const { client } = this.context;
    for (const resource of client.resources()) {
      if (!isConcerned(resource) || !resource.namespaced || !resource.verbs.includes('delete')) continue;
      for (const { metadata } of client.list(resource, namespace)) {
        if (metadata.deletionTimestamp || !metadata.name) continue;
        const preconditions = { uid: metadata.uid };
        await ignoringGone(
          client.delete(resource, namespace, metadata.name, { propagationPolicy: 'Background', preconditions }),
        );
        const pause = this.turns.step();
        if (pause) await pause;
      }
    }
  }

  private remains(namespace: string): NamespaceRemains {
    const objects = new Map<string, number>();
    const finalizers = new Map<string, number>();
    for (const resource of this.context.client.resources()) {
      if (!resource.namespaced || !resource.verbs.includes('delete')) continue;
      const left = this.context.client.list(resource, namespace);
      if (left.length) objects.set(`${resource.plural}.${resource.group}`, left.length);
      for (const finalizer of left.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
      }
    }
    return { objects, finalizers };
  }

  private async report(namespace: KubeObject, remains: NamespaceRemains): Promise<void> {
    const status = namespace.status as { conditions?: readonly NamespaceCondition[] } | undefined;
    const previous = status?.conditions ?? [];
    const conditions = namespaceConditions(remains, previous, timestamp(this.context.clock.now()));
    if (jsonEqual(conditions, previous)) return;
    const patch = { status: { conditions } };
    await ignoringGone(this.context.client.patch(NAMESPACES, undefined, namespace.metadata.name!, patch, 'status'));
  }
}

function isPods({ group, plural }: ApiResource): boolean {
  return group === PODS.group && plural === PODS.plural;
}
