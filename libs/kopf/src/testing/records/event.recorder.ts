import type { PostedEvent } from '../../contexts/object-events.js';
import type { KubeObject, ObjectMeta } from '../../objects/kube-object.js';

/** A Kubernetes event that a handler has posted. */
export interface RecordedEvent {
  /** `Normal`, `Warning`, `Error`, or any other word. */
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** The object that the event is about. */
  readonly about: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;
}

/** The record of the Kubernetes events that handlers have posted, in their order. */
export class EventRecorder implements Iterable<RecordedEvent> {
  readonly all: RecordedEvent[] = [];

  /** The reasons of all events. */
  get reasons(): string[] {
    return this.all.map(({ reason }) => reason);
  }

  /** The events about an object. */
  of({ metadata }: Pick<KubeObject, 'metadata'>): RecordedEvent[] {
    return this.all.filter(({ about }) => isSameObject(about.metadata, metadata));
  }

  /** Records an event, as handlers post it. */
  post({ apiVersion, kind, metadata }: KubeObject, { type, reason, message = '' }: PostedEvent): void {
    const { name, namespace, uid } = metadata;
    this.all.push({
      type,
      reason,
      message: String(message),
      about: { apiVersion, kind, metadata: { name, namespace, uid } },
    });
  }

  /** Adds an event as it was sent to the API server. @internal */
  add({ type, reason, message, involvedObject }: Readonly<Record<string, any>>): void {
    const { apiVersion, kind, name, namespace, uid } = involvedObject as Record<string, string>;
    this.all.push({
      type,
      reason,
      message: message ?? '',
      about: { apiVersion, kind, metadata: { name, namespace, uid } },
    });
  }

  [Symbol.iterator](): Iterator<RecordedEvent> {
    return this.all[Symbol.iterator]();
  }
}

/** The metadata that identify an object. */
type Identity = Partial<Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>>;

/** Compares by the uid if both have one, as objects of one name can follow each other. A namespace counts if the second one has it. */
export function isSameObject(one: Identity, other: Identity): boolean {
  if (one.uid && other.uid) return one.uid === other.uid;
  return one.name === other.name && (other.namespace === undefined || one.namespace === other.namespace);
}
