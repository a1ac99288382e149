import { KopfError } from '../../common/kopf.errors.js';
import { type Clock, formatTimestamp } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import type { KopfLogger } from '../../common/kopf.logger.js';
import type { PostingSettings } from '../../settings/operator.settings.js';
import type { KubeApi } from './api.client.js';

/** An event about an object. */
export interface EventRequest {
  /** The object, or as much of it as identifies it. */
  readonly about: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;
  /** `Normal`, `Warning`, or any other word. */
  readonly type: string;
  /** A word in camel case. */
  readonly reason: string;
  readonly message: string;
  /** The seconds before each retry. @default the setting `defaultBackoffs` */
  readonly backoffs?: number | readonly number[];
  readonly signal?: AbortSignal;
}

/** The longest message that API servers accept, in bytes. */
const MESSAGE_LENGTH = 1024;
const INFIX = '...';

/** The client of Kubernetes events, in the form of Kopf's events. */
export class EventsClient {
  constructor(
    private readonly api: KubeApi,
    private readonly settings: PostingSettings,
    private readonly clock: Clock,
    private readonly logger: KopfLogger,
  ) {}

  /**
   * Posts an event. Never rejects, as an event is not important enough for its handler to fail. Events about events are not posted.
   *
   * @param onRetry called after each attempt that is followed by another one.
   */
  async post(request: EventRequest, onRetry?: () => void): Promise<void> {
    const { about, type, reason, message, backoffs, signal } = request;
    if (about.apiVersion === 'v1' && about.kind === 'Event') return;
    // API servers accept events about objects without a namespace only there; kubectl finds them by the missing namespace of the object.
    const namespace = about.metadata.namespace || 'default';
    const { eventNamePrefix, reportingComponent, reportingInstance } = this.settings;
    const now = formatTimestamp(this.clock.now());
    const payload = {
      metadata: { namespace, generateName: eventNamePrefix },
      action: 'Action?',
      type,
      reason,
      message: cutMessage(String(message)),
      reportingComponent,
      reportingInstance,
      source: { component: reportingComponent },
      involvedObject: createReference(about),
      firstTimestamp: now,
      lastTimestamp: now,
      eventTime: now,
    };
    const delays = backoffs ?? this.settings.defaultBackoffs;
    const options = {
      signal,
      onRetry,
      backoffs: typeof delays === 'number' ? [delays] : delays,
      // A server that answers with an error has rarely stored the event; one whose response is lost often has.
      repeatsAnswered: true,
    };
    try {
      await this.api.post(`/api/v1/namespaces/${encodeURIComponent(namespace)}/events`, payload, options);
    } catch (error) {
      if (signal?.aborted) return;
      const why = error instanceof KopfError ? error.message : String(error);
      this.logger.warn(`An event was not posted (type=${type}, reason=${reason}): ${why}`);
    }
  }
}

/** Cuts the middle out of a message that is too long. The limit is in bytes, as on the server; characters are not split. */
export function cutMessage(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MESSAGE_LENGTH) return message;
  let end = Math.floor((MESSAGE_LENGTH - INFIX.length + 1) / 2);
  let start = bytes.length - (MESSAGE_LENGTH - INFIX.length - end);
  while (isContinuation(bytes[end])) end--;
  while (isContinuation(bytes[start])) start++;
  return bytes.toString('utf8', 0, end) + INFIX + bytes.toString('utf8', start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function createReference({ apiVersion, kind, metadata }: EventRequest['about']): object {
  const { name, uid, namespace } = metadata;
  const reference = { apiVersion, kind, name, uid, namespace };
  return Object.fromEntries(Object.entries(reference).filter(([, value]) => value));
}
