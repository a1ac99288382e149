import type { KubeDeleteOptions, KubeObject } from 'nestjs-kopf';
import { describeObject, type ObjectReference, type TestManifestObject } from 'nestjs-kopf/testing';
import type { OperatorEventObject } from 'nestjs-kopf/inspection';
import { type KubeTransport, parseJson, sleep, stringifyJson } from 'kube-common';
import type { SimulatedUser, SimulationOptions } from '../simulation.options.js';
import type { SimulationPlan } from '../simulation.plan.js';
import type { ConcurrentEdits } from '../faults/concurrent.edits.js';
import type { FaultEngine } from '../faults/fault.engine.js';
import { ATTEMPTS, isTerminating, isWithoutWebhook } from '../faults/passing.rejection.js';
import type { Interventions } from '../run/interventions.js';
import type { Timeline } from '../run/timeline.js';
import type { WorldObjects } from '../world/world.objects.js';
import { pathOfObject, USER_AGENT, type WorldServer } from '../world/world.server.js';
import type { WorldTime } from '../world/world.time.js';
import { UserWishes } from './user.wishes.js';

/** The parts of a run that its user needs. */
export interface UserRun {
  readonly options: SimulationOptions;
  readonly plan: SimulationPlan;
  readonly server: WorldServer;
  readonly objects: WorldObjects;
  readonly time: WorldTime;
  readonly timeline: Timeline;
  readonly edits: ConcurrentEdits;
  readonly faults: Pick<FaultEngine, 'endPartitions'>;
  readonly interventions: Interventions;
  /** Lets time pass until the operator is at rest. */
  settle(): Promise<void>;
  /** Lets time pass until the operator is at rest, for a limited time. */
  settleFor(seconds: number): Promise<void>;
  /** Begins another state of the object that is changed. What was refused before does not count. */
  beginState(): void;
}

/** The user of the cluster in a run. The operations or commands are counted, so that a plan can leave some of them out. */
export class WorldUser implements SimulatedUser {
  /** All operations in words, also those that the plan leaves out; of a workload of commands, the commands. */
  readonly operations: string[] = [];
  /** The number of requests that were begun. A command can send several. */
  begun = 0;
  readonly wishes = new UserWishes();
  private readonly transport: KubeTransport;
  /** The operation before, as operations that are called at once are done one after another. */
  private last: Promise<unknown> = Promise.resolve();
  private hasCommands = false;

  constructor(private readonly run: UserRun) {
    this.transport = run.server.transport();
  }

  apply(object: TestManifestObject): Promise<KubeObject> {
    const query = '?fieldManager=user&force=true';
    return this.operate(`applies ${describeObject(object)}`, object, (path) => {
      this.wishes.apply(path, object);
      return this.request('PATCH', path + query, object, 'application/apply-patch+yaml');
    });
  }

  patch(object: ObjectReference, patch: object, subresource?: string): Promise<KubeObject> {
    const suffix = subresource === undefined ? '' : `/${subresource}`;
    return this.operate(`patches ${describeObject(object)}${suffix}: ${stringifyJson(patch)}`, object, (path) => {
      if (suffix === '') this.wishes.patch(path, patch);
      return this.request('PATCH', path + suffix, patch, 'application/merge-patch+json');
    });
  }

  async delete(
    object: ObjectReference,
    { propagationPolicy }: Pick<KubeDeleteOptions, 'propagationPolicy'> = {},
  ): Promise<void> {
    const [suffix, query] = propagationPolicy
      ? [` with the policy ${propagationPolicy}`, `?propagationPolicy=${propagationPolicy}`]
      : ['', ''];
    await this.operate(`deletes ${describeObject(object)}${suffix}`, object, (path) => {
      this.wishes.delete(path);
      return this.request('DELETE', path + query);
    });
  }

  async recreate(object: TestManifestObject): Promise<void> {
    await this.operate(`deletes ${describeObject(object)}, and recreates it`, object, (path) => {
      this.wishes.apply(path, object);
      return this.run.interventions.recreate(path);
    });
  }

  find<T extends KubeObject>(object: ObjectReference): T | undefined {
    return this.run.objects.find<T>(object);
  }

  settled(): Promise<void> {
    return this.inTurn(() => this.run.settle());
  }

  advance(seconds: number): Promise<void> {
    return this.inTurn(async () => {
      this.run.edits.end();
      await this.run.time.clock.advance(seconds * 1000);
      await this.run.time.settle();
    });
  }

  /** Runs a command, unless the plan leaves it out. Its requests have no numbers themselves. */
  async command(text: string, action: () => Promise<unknown>): Promise<void> {
    this.hasCommands = true;
    const number = this.operations.push(text);
    if (!this.isLeftOut(number)) await action();
  }

  private operate<T>(
    text: string,
    object: ObjectReference,
    operation: (path: string) => Promise<T>,
  ): Promise<T | KubeObject> {
    this.begun += 1;
    const number = this.hasCommands ? undefined : this.operations.push(text);
    return this.inTurn(async () => {
      if (number !== undefined && this.isLeftOut(number)) return (this.find(object) ?? object) as KubeObject;
      this.run.timeline.note('user', text, { type: 'operation', object: referenceOf(object) });
      this.run.edits.begin(object);
      return this.run.time.until(operation(this.pathOf(object)));
    });
  }

  private isLeftOut(number: number): boolean {
    return this.run.plan.without?.includes(number) === true;
  }

  private inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = this.last.then(action);
    this.last = done.catch(() => undefined);
    return done;
  }

  private pathOf(object: ObjectReference): string {
    return pathOfObject(this.run.server, object);
  }

  private async request(
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
    attempt = 1,
  ): Promise<KubeObject> {
    const headers = { 'content-type': type, 'user-agent': USER_AGENT };
    const request = { method, path, headers, body: body && stringifyJson(body) };
    const response = await this.transport.request(request);
    const answer = parseJson(await response.text()) as KubeObject & { readonly message?: string };
    const isLeaving = isTerminating(response.status, answer.message);
    // Otherwise nothing may happen any more that shows the operator that it has to release the namespace.
    if (isLeaving) this.run.faults.endPartitions();
    if ((isLeaving || isWithoutWebhook(response.status, answer.message)) && attempt < ATTEMPTS) {
      await sleep(this.run.time.clock, 1);
      return this.request(method, path, body, type, attempt + 1);
    }
    // The object is gone for a moment, and is then recreated in the desired state.
    if (response.status === 404 && this.run.interventions.isPending(path)) return {} as KubeObject;
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
    return answer;
  }
}

function referenceOf({ kind = '', metadata: { name = '', namespace } }: ObjectReference): OperatorEventObject {
  return { kind, namespace, name };
}
