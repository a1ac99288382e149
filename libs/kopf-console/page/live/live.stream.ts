import { ApiError, formPath, get } from '../api/api.client.js';
import type { ConsoleMessage, ConsoleStreamTopic, OperatorEvent } from '../api/api.types.js';
import { BASE } from '../api/base.address.js';
import { Store } from '../platform/store.js';

/** A topic of the stream: something whose changes are reported, or the event log itself. */
export type StreamTopic = ConsoleStreamTopic | 'log';

/**
 * The state of the stream: `lost` after an error, until it is open again; `polled` while no stream comes through, as proxies that collect what
 * is sent let none, but answers do.
 */
export type StreamState = 'idle' | 'connecting' | 'open' | 'lost' | 'polled';

/** Delays in milliseconds before the stream is opened again after the server has refused it. */
const DELAYS = [1000, 2000, 4000, 8000, 15_000];

/** Milliseconds for which the first message of a stream is waited for; it is sent at once. */
const OPENING = 8000;

/** Milliseconds without a message after which a connection is dead, though it was not closed: one comes every 15 seconds. */
const SILENCE = 40_000;

/** Milliseconds between two questions for everything while no stream comes through. */
export const POLLING = 5000;

/** Milliseconds after which a hidden page closes its stream. */
const HIDDEN = 60_000;

/** A message with entries of the event log. */
export type LogMessage = Extract<ConsoleMessage, { type: 'log' }>;

/**
 * The one stream of this tab. It has the topics that the screen uses at the moment, continues by itself after interruptions, and is closed
 * while the page is hidden, so that an operator has no work for a forgotten tab.
 */
export class LiveStream {
  readonly state = new Store<StreamState>('idle');
  private source: EventSource | undefined;
  /** Streams with other topics, which report what happens until the new one begins. */
  private readonly earlier = new Set<EventSource>();
  private readonly topics = new Map<StreamTopic, number>();
  private readonly changeListeners = new Set<(topics: readonly ConsoleStreamTopic[] | 'all') => void>();
  private readonly logListeners = new Set<(message: LogMessage) => void>();
  private operator: string | undefined;
  private path = '';
  private failures = 0;
  private isChanging = false;
  /** Changes may have gone unnoticed since the last stream was lost. */
  private hasMissed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private hidingTimer: ReturnType<typeof setTimeout> | undefined;

  /** Observes the visibility of the page. */
  start(): void {
    document.addEventListener('visibilitychange', () => this.onVisibility());
    addEventListener('online', () => (this.state.get() === 'open' ? undefined : this.restart()));
  }

  /** Chooses the operator that is shown. */
  setOperator(operator: string | undefined): void {
    if (operator === this.operator) return;
    this.operator = operator;
    this.change();
  }

  /** Takes part in a topic. @returns a function that ends it. */
  subscribe(topics: readonly StreamTopic[]): () => void {
    for (const topic of topics) this.topics.set(topic, (this.topics.get(topic) ?? 0) + 1);
    this.change();
    return () => {
      for (const topic of topics) {
        const rest = (this.topics.get(topic) ?? 1) - 1;
        if (rest === 0) this.topics.delete(topic);
        else this.topics.set(topic, rest);
      }
      this.change();
    };
  }

  /** Hears which answers have changed; `all` if events may have been missed. @returns a function that ends it. */
  onChange(listener: (topics: readonly ConsoleStreamTopic[] | 'all') => void): () => void {
    this.changeListeners.add(listener);
    return () => this.changeListeners.delete(listener);
  }

  /** Hears of new entries of the event log. @returns a function that ends it. */
  onLog(listener: (message: LogMessage) => void): () => void {
    this.logListeners.add(listener);
    return () => this.logListeners.delete(listener);
  }

  private onVisibility(): void {
    clearTimeout(this.hidingTimer);
    if (document.hidden) this.hidingTimer = setTimeout(() => this.close(), HIDDEN);
    else if (!this.source) this.open();
  }

  /** Opens a stream when all components have subscribed to their topics, but before they request answers. */
  private change(): void {
    if (this.isChanging) return;
    this.isChanging = true;
    queueMicrotask(() => {
      this.isChanging = false;
      this.open();
    });
  }

  private open(): void {
    clearTimeout(this.timer);
    const topics = [...this.topics.keys()].sort().join(',');
    if (topics === '') return this.close();
    const path = formPath('api/stream', { topics, operator: this.operator });
    if (this.source && path === this.path && this.source.readyState !== EventSource.CLOSED) return;
    this.path = path;
    if (this.source) this.earlier.add(this.source);
    if (this.state.get() === 'idle') this.state.set('connecting');
    const source = new EventSource(new URL(path, BASE));
    this.source = source;
    source.onmessage = ({ data }: MessageEvent<string>) => {
      if (source === this.source) this.recordMessage();
      this.receive(JSON.parse(data) as ConsoleMessage);
    };
    source.onerror = () => this.onError(source);
    this.watch(OPENING, () => void this.poll());
  }

  /** Records that messages arrive. */
  private recordMessage(): void {
    this.watch(SILENCE, () => this.restart());
    if (this.state.get() === 'open' && this.earlier.size === 0) return;
    this.closeEarlier();
    this.failures = 0;
    this.state.set('open');
    if (this.hasMissed) this.tell('all');
    this.hasMissed = false;
  }

  private onError(source: EventSource): void {
    if (source !== this.source) {
      source.close();
      this.earlier.delete(source);
      return;
    }
    this.closeEarlier();
    this.hasMissed = true;
    if (this.state.get() !== 'polled') this.state.set('lost');
    this.watch(OPENING, () => void this.poll());
    // The browser connects again by itself, unless the server has answered something else than a stream.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), DELAYS[Math.min(this.failures++, DELAYS.length - 1)]);
  }

  /** Begins another stream in the place of one of which nothing is heard. */
  private restart(): void {
    if (!this.source) return;
    this.hasMissed = true;
    this.state.set('lost');
    this.source.close();
    this.source = undefined;
    this.open();
  }

  /** Requests all answers again, if the operator answers, repeatedly until a stream begins. */
  private async poll(): Promise<void> {
    this.hasMissed = true;
    this.watch(POLLING, () => void this.poll());
    try {
      await get(formPath('overview', { operator: this.operator }), AbortSignal.timeout(POLLING));
    } catch (error) {
      // The screens say what the server has answered instead.
      if (error instanceof ApiError && error.status !== 0) this.tell('all');
      else if (this.state.get() !== 'open') this.state.set('lost');
      return;
    }
    if (this.state.get() === 'open' || this.state.get() === 'idle') return;
    this.state.set('polled');
    this.tell('all');
  }

  private watch(milliseconds: number, onSilence: () => void): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(onSilence, milliseconds);
  }

  private closeEarlier(): void {
    for (const source of this.earlier) source.close();
    this.earlier.clear();
  }

  /** Ends the stream until the page is seen, or has topics, again. */
  private close(): void {
    for (const timer of [this.timer, this.watchdog]) clearTimeout(timer);
    this.closeEarlier();
    this.hasMissed ||= this.source !== undefined;
    this.source?.close();
    this.source = undefined;
    this.state.set('idle');
  }

  private receive(message: ConsoleMessage): void {
    if (message.type === 'log') for (const listener of this.logListeners) listener(message);
    else if (message.type === 'changed') this.tell(message.topics);
    else if (message.type === 'reset') this.tell('all');
  }

  private tell(topics: readonly ConsoleStreamTopic[] | 'all'): void {
    for (const listener of this.changeListeners) listener(topics);
  }
}

export const stream = new LiveStream();

/** Compares what an event is about with an object. */
export function concerns(
  { object }: OperatorEvent,
  { kind, namespace, name }: { readonly kind: string; readonly namespace?: string; readonly name: string },
): boolean {
  return object?.name === name && object.kind === kind && (object.namespace ?? '') === (namespace ?? '');
}
