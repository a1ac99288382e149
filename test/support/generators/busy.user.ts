import { StatusError, type ControllerClient } from 'embedded-kube';
import { type KubeObject, OnCreate, OnEvent, OnUpdate, type ChangeContext, type EventContext } from 'nestjs-kopf';
import { SeededRandom } from 'nestjs-kopf/testing';
import { UnexpectedStatusError, type ClusterUser } from '../clusters/cluster.user.js';
import type { Type } from '@nestjs/common';

const OBJECTS = { group: 'kopf.dev', plural: 'kopfexamples' };

/** The state of an object that the user has written last. */
export interface KnownValue {
  readonly uid: string;
  readonly name: string;
  readonly value: number;
}

/** The way in which the user reaches the objects. */
interface Access {
  create(object: KubeObject): Promise<KubeObject>;
  patch(name: string, patch: object): Promise<unknown>;
  delete(name: string): Promise<void>;
}

/** Creates, changes and deletes objects of `kopfexamples` at random, and knows what must be there in the end. */
export class BusyUser {
  /** The identities of the objects that were deleted. */
  readonly deleted: string[] = [];
  private readonly present = new Map<string, KnownValue>();
  private readonly random = new SeededRandom(3);
  private count = 0;

  private constructor(private readonly access: Access) {}

  /** A user inside of an embedded server, so that nothing goes wrong on the way. */
  static inside(client: ControllerClient, namespace = 'ns'): BusyUser {
    return new BusyUser({
      create: (object) => client.create(OBJECTS, namespace, object) as Promise<KubeObject>,
      patch: (name, patch) => client.patch(OBJECTS, namespace, name, patch),
      delete: (name) => client.delete(OBJECTS, namespace, name),
    });
  }

  /** A user of a cluster. */
  static of(user: ClusterUser, namespace = 'ns'): BusyUser {
    const path = `/apis/kopf.dev/v1/namespaces/${namespace}/kopfexamples`;
    return new BusyUser({
      create: (object) => user.create(path, object),
      patch: (name, patch) => user.patch(`${path}/${name}`, patch),
      delete: (name) => user.delete(`${path}/${name}`),
    });
  }

  /** Counts the changes so far. */
  get changes(): number {
    return this.count;
  }

  /** The objects that are there. */
  get objects(): readonly KnownValue[] {
    return [...this.present.values()];
  }

  /** Does so many things; what cannot be done now, as there is no such resource or namespace, is left out. */
  async work(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      try {
        await this.act();
        this.count += 1;
      } catch (error) {
        if (!isImpossible(error)) throw error;
      }
    }
  }

  /** Records that another client has deleted all objects. */
  forget(): void {
    this.deleted.push(...this.objects.map(({ uid }) => uid));
    this.present.clear();
  }

  private async act(): Promise<void> {
    const roll = this.random.next();
    const { objects } = this;
    const picked = objects[Math.floor(this.random.next() * objects.length)];
    if (!picked || roll < 0.25) return this.create(`object-${this.count}`);
    if (roll < 0.4) return this.delete(picked);
    return this.change(picked);
  }

  private async create(name: string): Promise<void> {
    const value = this.count;
    const object = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec: { value } };
    const { metadata } = await this.access.create(object);
    this.present.set(name, { uid: metadata.uid!, name, value });
  }

  private async change({ uid, name }: KnownValue): Promise<void> {
    const value = this.count;
    await this.access.patch(name, { spec: { value } });
    this.present.set(name, { uid, name, value });
  }

  private async delete({ uid, name }: KnownValue): Promise<void> {
    await this.access.delete(name);
    this.present.delete(name);
    this.deleted.push(uid);
  }
}

/** Whether an error says that the resource or the namespace does not exist, or is being created or deleted. */
function isImpossible(error: unknown): boolean {
  const status =
    error instanceof StatusError ? error.code : error instanceof UnexpectedStatusError ? error.status : undefined;
  return status !== undefined && [403, 404, 405, 429].includes(status);
}

/** A class of handlers for `kopfexamples`, and what they were told. */
export interface HandlingRecord {
  readonly Handlers: Type;
  /** The value of the last state of each object that was handled, by uids. */
  readonly handled: ReadonlyMap<string, number>;
  /** The uids of the objects whose deletion was noticed. */
  readonly deleted: ReadonlySet<string>;
  /** Of the given objects, those whose last state was not handled. */
  missed(objects: readonly KnownValue[]): readonly KnownValue[];
  /** Of the objects that have gone, those that were handled, but whose deletion was not noticed. */
  forgotten(gone: readonly string[]): readonly string[];
}

/** Makes an operator that notes what it sees. */
export function recordHandling(): HandlingRecord {
  const handled = new Map<string, number>();
  const deleted = new Set<string>();

  class Handlers {
    @OnCreate('kopf.dev/v1', 'kopfexamples')
    @OnUpdate('kopf.dev/v1', 'kopfexamples')
    change({ uid, spec }: ChangeContext<{ value: number }>): void {
      handled.set(uid, spec.value);
    }

    @OnEvent('kopf.dev/v1', 'kopfexamples')
    event({ type, uid }: EventContext): void {
      if (type === 'DELETED') deleted.add(uid);
    }
  }
  const missed = (objects: readonly KnownValue[]): readonly KnownValue[] =>
    objects.filter(({ uid, value }) => handled.get(uid) !== value);
  const forgotten = (gone: readonly string[]): readonly string[] =>
    gone.filter((uid) => handled.has(uid) && !deleted.has(uid));
  return { Handlers, handled, deleted, missed, forgotten };
}
