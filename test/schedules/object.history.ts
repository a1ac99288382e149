import type { EmbeddedKube } from 'embedded-kube';
import type { KubeObject } from 'nestjs-kopf';
import type { DiffBaseStorage } from 'nestjs-kopf/storages';
import { KOPF_EXAMPLES, type ExampleObject } from './example.resource.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';

/** Hears of each new state of an object, right after it was stored. */
export type StateListener = (past: ObjectPast, object: ExampleObject) => void;

/** The states of one object on the API server, from its creation to its end, also those that no client has seen. */
export class ObjectPast {
  readonly uid: string;
  readonly name: string;
  /** The newest state; the last one if it has gone. */
  object: ExampleObject;
  /** The state in which its deletion was asked for. */
  deletion?: ExampleObject;
  isGone = false;
  /** Tells whether the finalizer of the operator was on it. */
  wasHeld = false;
  /** Tells whether somebody else has removed the operator's finalizer. */
  wasForced = false;
  /** Tells whether each state of it had the label `on`. */
  wasAlwaysOn = true;
  /** Whether each state of it since the request for its deletion had the label `on`. */
  wasOnDuringDeletion = true;
  /** The first essence that was stored as handled. */
  firstHandled?: string;

  constructor(
    object: ExampleObject,
    /** The place of its creation among all objects. */
    readonly order: number,
  ) {
    this.object = object;
    this.uid = object.metadata.uid;
    this.name = object.metadata.name;
  }
}

/** Keeps books of all objects on the server. */
export class ObjectHistory {
  readonly objects = new Map<string, ObjectPast>();
  private readonly listeners: StateListener[] = [];
  private readonly end: () => void;

  constructor(
    kube: EmbeddedKube,
    private readonly diffbase: DiffBaseStorage,
  ) {
    this.end = kube.client.watch(KOPF_EXAMPLES, ({ type, object }) => this.note(type, object as ExampleObject));
  }

  get alive(): readonly ObjectPast[] {
    return [...this.objects.values()].filter(({ isGone }) => !isGone);
  }

  get gone(): readonly ObjectPast[] {
    return [...this.objects.values()].filter(({ isGone }) => isGone);
  }

  /** Calls the listener with each state of each object from now on. */
  onState(listener: StateListener): void {
    this.listeners.push(listener);
  }

  close(): void {
    this.end();
  }

  private note(type: string, object: ExampleObject): void {
    const { uid, deletionTimestamp, finalizers = [], labels } = object.metadata;
    let past = this.objects.get(uid);
    if (!past) this.objects.set(uid, (past = new ObjectPast(object, this.objects.size)));
    past.object = object;
    past.isGone = type === 'DELETED';
    past.wasHeld ||= finalizers.includes(FINALIZER);
    past.wasAlwaysOn &&= labels?.on !== undefined;
    if (deletionTimestamp) {
      past.deletion ??= object;
      past.wasOnDuringDeletion &&= labels?.on !== undefined;
    }
    past.firstHandled ??= this.handledEssence(object);
    for (const listener of this.listeners) listener(past, object);
  }

  /** Gives the state that is stored as handled, in the form of {@link essenceOf}. */
  handledEssence(object: KubeObject): string | undefined {
    const essence = this.diffbase.fetch(object);
    return essence && essenceOf(essence as unknown as KubeObject);
  }
}

/** Gives the parts of an object that its users write, as a text that is equal for equal states. */
export function essenceOf({ spec, metadata }: Pick<KubeObject, 'spec' | 'metadata'>): string {
  const { a, b } = spec as { readonly a?: number; readonly b?: number };
  return JSON.stringify({ a, b, on: (metadata as KubeObject['metadata'] | undefined)?.labels?.on });
}
