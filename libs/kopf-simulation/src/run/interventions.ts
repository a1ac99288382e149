import { type Clock, type KubeRequest, type KubeTransport, parseJson, sleep, stringifyJson } from 'kube-common';
import type { KubeObject } from 'nestjs-kopf';
import type { ActivityTracker, TestManifestObject } from 'nestjs-kopf/testing';
import type { FaultObject, Intervention } from '../simulation.plan.js';
import { ATTEMPTS, isWithoutWebhook } from '../faults/passing.rejection.js';
import type { WorldObjects } from '../world/world.objects.js';
import { USER_AGENT, type WorldChange } from '../world/world.server.js';

/** An intervention, and the progress of the workload at its time. */
export interface TimedIntervention {
  readonly fault: Intervention;
  /** The number of operations that the user had begun. */
  readonly operation: number;
  /** The number of operations that were done when the operator was last at rest. */
  readonly rested: number;
}

/** The parts of a run that interventions need. */
interface InterventionTargets {
  readonly transport: KubeTransport;
  readonly objects: WorldObjects;
  readonly activity: ActivityTracker;
  readonly clock: Clock;
  /** The object at a path in the user's desired state; `undefined` if the user wants none there. */
  wishOf(path: string): TestManifestObject | undefined;
  /** The number of operations that the user has begun. */
  operations(): number;
  /** The path of an object in the API. */
  pathOf(object: KubeObject): string;
}

/** The actions of other clients on objects that an operator manages: deletes, changes, and recreates them. */
export class Interventions {
  /** The interventions so far, in their order. */
  readonly made: TimedIntervention[] = [];
  /** The paths of the objects that are recreated as soon as they are gone. */
  private readonly pending = new Set<string>();
  /** The objects that are being recreated. */
  private readonly creations = new Set<{ readonly path: string }>();
  /** The number of requests that are retried because the API server cannot reach a webhook. */
  private retried = 0;
  /** The interventions that are still to be made while the operator is at rest. */
  private readonly left: TimedIntervention[];
  /** The number of operations that the user had begun when the operator was last at rest. */
  private rested = 0;

  /** @param atRest interventions that are made when the operator is at rest after the given operations, not by a plan */
  constructor(
    private readonly targets: InterventionTargets,
    atRest: readonly TimedIntervention[] = [],
  ) {
    this.left = [...atRest];
  }

  /** Whether a request is still to be retried. */
  get isBusy(): boolean {
    return this.retried > 0;
  }

  /** Whether the object exists, so that the intervention is possible. */
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

  /** Makes the next intervention that waits for an operator at rest. @returns false if there is none */
  onRest(): boolean {
    const operations = this.targets.operations();
    this.rested = operations;
    const next = this.left.find(({ fault, operation }) => operation <= operations && this.isPossible(fault));
    if (!next) return false;
    this.left.splice(this.left.indexOf(next), 1);
    this.make(next.fault);
    return true;
  }

  /** Deletes an object of the user, and recreates it as soon as it is gone: at once, if it does not exist. */
  async recreate(path: string): Promise<void> {
    this.pending.add(path);
    const status = await this.send('DELETE', path, USER_AGENT);
    if (status === 404) await this.create(path);
    else if (status >= 300) this.pending.delete(path);
  }

  /** Whether an object is about to be recreated, so that it may not exist. @param path of the object, or of a subresource of it */
  isPending(path: string): boolean {
    const paths = [...this.pending, ...[...this.creations].map((creation) => creation.path)];
    return paths.some((each) => path === each || path.startsWith(`${each}/`));
  }

  /** Recreates an object whose deletion has ended. */
  onChange({ type, object }: WorldChange): void {
    if (type !== 'DELETED' || this.pending.size === 0) return;
    const path = this.targets.pathOf(object);
    // The server has not sent the deletion to the watches yet.
    if (this.pending.has(path)) queueMicrotask(() => void this.create(path));
  }

  private async create(path: string): Promise<void> {
    // The object can be deleted again, to be recreated, before the first creation is answered.
    if (!this.pending.delete(path)) return;
    const creation = { path };
    this.creations.add(creation);
    // The user may have changed the desired state since, also between two attempts.
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

  /**
   * Sends a request, and retries it while webhooks cannot be reached.
   *
   * @param body called at each attempt; it returns nothing if the request is obsolete
   */
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
