import { type Clock, type KubeRequest, type KubeTransport, parseJson, sleep, stringifyJson } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Activity } from '../../testing/activity.js';
import type { TestManifestObject } from '../../testing/test-manifests.js';
import type { FaultObject, Intervention } from '../simulation.plan.js';
import { ATTEMPTS, isWithoutWebhook } from './passing.rejection.js';
import type { WorldObjects } from './world.objects.js';
import { USER_AGENT, type WorldChange } from './world.server.js';

/** An intervention, and how far the user had come with the workload. */
export interface TimedIntervention {
  readonly fault: Intervention;
  /** The number of operations that the user had begun. */
  readonly operation: number;
  /** The number of those that were done when the operator was at rest for the last time. */
  readonly rested: number;
}

/** The parts of a run that interventions are made in. */
interface InterventionTargets {
  readonly transport: KubeTransport;
  readonly objects: WorldObjects;
  readonly activity: Activity;
  readonly clock: Clock;
  /** The object at a path as the user wants it; `undefined` if he does not. */
  wishOf(path: string): TestManifestObject | undefined;
  /** The number of operations that the user has begun. */
  operations(): number;
  /** The path of an object in the API. */
  pathOf(object: KubeObject): string;
}

/** Does what others do to objects while an operator looks after them: deletes them, changes them, and makes them anew. */
export class Interventions {
  /** Those that were made, in their order. */
  readonly made: TimedIntervention[] = [];
  /** The paths of the objects that are made anew as soon as they are gone. */
  private readonly pending = new Set<string>();
  /** Those that are being made anew. */
  private readonly creations = new Set<{ readonly path: string }>();
  /** The number of requests that are tried again, as the API server cannot reach a webhook. */
  private retried = 0;
  /** Those that are still to be made while the operator is at rest. */
  private readonly left: TimedIntervention[];
  /** The number of operations that the user had begun at the last rest. */
  private rested = 0;

  /** @param atRest are made when the operator is at rest after the given operations, not by a plan. */
  constructor(
    private readonly targets: InterventionTargets,
    atRest: readonly TimedIntervention[] = [],
  ) {
    this.left = [...atRest];
  }

  /** Is true while something is still to be done that could not be done at once. */
  get isBusy(): boolean {
    return this.retried > 0;
  }

  /** Tells whether the object is there, so that something can be done to it. */
  isPossible(fault: Intervention): boolean {
    const object = this.find(fault);
    if (!object || object.metadata.deletionTimestamp !== undefined) return false;
    return fault.kind === 'drift' || this.targets.wishOf(this.targets.pathOf(object)) !== undefined;
  }

  /** Begins an intervention that is possible. */
  make(fault: Intervention): void {
    const { pathOf, operations } = this.targets;
    const path = pathOf(this.find(fault)!);
    this.made.push({ fault, operation: operations(), rested: this.rested });
    if (fault.kind === 'recreate') void this.recreate(path);
    else if (fault.patch) void this.send('PATCH', path, OTHER, () => fault.patch);
    else void this.send('DELETE', path, OTHER);
  }

  /** Makes the next of those that wait for an operator at rest. @returns false if there is none */
  onRest(): boolean {
    const operations = this.targets.operations();
    this.rested = operations;
    const next = this.left.find(({ fault, operation }) => operation <= operations && this.isPossible(fault));
    if (!next) return false;
    this.left.splice(this.left.indexOf(next), 1);
    this.make(next.fault);
    return true;
  }

  /** Deletes an object of the user, which is made anew as soon as it is gone: at once, if there is none. */
  async recreate(path: string): Promise<void> {
    this.pending.add(path);
    const status = await this.send('DELETE', path, USER_AGENT);
    if (status === 404) await this.create(path);
    else if (status >= 300) this.pending.delete(path);
  }

  /** Tells whether an object is about to be made anew, so that it may not be there. @param path of the object, or of a subresource of it */
  isPending(path: string): boolean {
    const paths = [...this.pending, ...[...this.creations].map((creation) => creation.path)];
    return paths.some((each) => path === each || path.startsWith(`${each}/`));
  }

  /** Follows a change of an object. */
  onChange({ type, object }: WorldChange): void {
    if (type !== 'DELETED' || this.pending.size === 0) return;
    const path = this.targets.pathOf(object);
    // The server is still about to tell others of the deletion.
    if (this.pending.has(path)) queueMicrotask(() => void this.create(path));
  }

  private async create(path: string): Promise<void> {
    // It can be deleted once more, to be made anew, before it is known that it was created.
    if (!this.pending.delete(path)) return;
    const creation = { path };
    this.creations.add(creation);
    // The user may have changed his mind, also while he tries again.
    const wish = (): object | undefined => this.targets.wishOf(path);
    if (wish()) {
      const url = `${path}?fieldManager=user&force=true`;
      await this.send('PATCH', url, USER_AGENT, wish, 'application/apply-patch+yaml');
    }
    this.creations.delete(creation);
  }

  private find({ resource, namespace, name }: FaultObject): KubeObject | undefined {
    return this.targets.objects.findNamed(resource, namespace, name);
  }

  /** Sends a request, and tries again while webhooks cannot be reached. @param body is asked at each attempt; without one, there is none any more */
  private async send(
    method: string,
    path: string,
    userAgent: string,
    body?: () => object | undefined,
    type = 'application/merge-patch+json',
  ): Promise<number> {
    const headers = { 'content-type': type, 'user-agent': userAgent };
    for (let attempt = 1; ; attempt++) {
      const content = body?.();
      const { status, message } = await this.request({
        method,
        path,
        headers,
        body: content && stringifyJson(content),
      });
      if (!isWithoutWebhook(status, message) || attempt === ATTEMPTS) return status;
      this.retried += 1;
      await sleep(this.targets.clock, 1);
      this.retried -= 1;
      if (body && !body()) return status;
    }
  }

  private async request(request: KubeRequest): Promise<{ readonly status: number; readonly message?: string }> {
    const end = this.targets.activity.begin();
    try {
      const response = await this.targets.transport.request(request);
      const { message } = parseJson(await response.text()) as { readonly message?: string };
      return { status: response.status, message };
    } finally {
      end();
    }
  }
}

const OTHER = 'another client';
