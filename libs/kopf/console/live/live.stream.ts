import { formPath } from '../api/api.client.js';
import type { ConsoleMessage, ConsoleTopic, OperatorEvent } from '../api/api.types.js';
import { BASE } from '../api/base.address.js';
import { Store } from '../platform/store.js';

/** A topic of the stream: something whose changes are told of, or the event log itself. */
export type StreamTopic = ConsoleTopic | 'log';

/** The state of the stream; `lost` after an error, until it is open again. */
export type StreamState = 'idle' | 'connecting' | 'open' | 'lost';

/** Delays in milliseconds before the stream is opened again after the server has refused it. */
const DELAYS = [1000, 2000, 4000, 8000, 15_000];

/** Milliseconds after which a page that nobody sees lets its stream go. */
const HIDDEN = 60_000;

/** A message with entries of the event log. */
export type LogMessage = Extract<ConsoleMessage, { type: 'log' }>;

/**
 * The one stream of this tab. It has the topics that the screen uses at the moment, goes on by itself after interruptions, and is closed
 * while nobody sees the page, so that an operator has no work for a forgotten tab.
 */
export class LiveStream {
  readonly state = new Store<StreamState>('idle');
  private source: EventSource | undefined;
  private readonly topics = new Map<StreamTopic, number>();
  private readonly changeListeners = new Set<(topics: readonly ConsoleTopic[] | 'all') => void>();
  private readonly logListeners = new Set<(message: LogMessage) => void>();
  private operator: string | undefined;
  private opened = '';
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private hidingTimer: ReturnType<typeof setTimeout> | undefined;

  /** Begins to follow the visibility of the page. */
  start(): void {
    document.addEventListener('visibilitychange', () => this.onVisibility());
    addEventListener('online', () => this.schedule(0));
  }

  /** Chooses the operator that is shown. */
  setOperator(operator: string | undefined): void {
    if (operator === this.operator) return;
    this.operator = operator;
    this.schedule(0);
  }

  /** Takes part in a topic. @returns a function that ends it. */
  follow(topics: readonly StreamTopic[]): () => void {
    for (const topic of topics) this.topics.set(topic, (this.topics.get(topic) ?? 0) + 1);
    this.schedule(20);
    return () => {
      for (const topic of topics) {
        const rest = (this.topics.get(topic) ?? 1) - 1;
        if (rest === 0) this.topics.delete(topic);
        else this.topics.set(topic, rest);
      }
      // Another screen usually follows: it may have the same topics.
      this.schedule(20);
    };
  }

  /** Hears which answers have changed; `all` if events may have been missed. @returns a function that ends it. */
  onChange(listener: (topics: readonly ConsoleTopic[] | 'all') => void): () => void {
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
    if (document.hidden) this.hidingTimer = setTimeout(() => this.close('idle'), HIDDEN);
    else if (!this.source) this.schedule(0);
  }

  private schedule(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), delay);
  }

  private open(): void {
    const topics = [...this.topics.keys()].sort().join(',');
    if (topics === '') return this.close('idle');
    const path = formPath('api/stream', { topics, operator: this.operator });
    if (this.source && path === this.opened && this.source.readyState !== EventSource.CLOSED) return;
    const missed = this.opened !== '';
    this.source?.close();
    this.opened = path;
    if (this.state.get() === 'idle') this.state.set('connecting');
    const source = new EventSource(new URL(path, BASE));
    this.source = source;
    source.onopen = () => {
      this.failures = 0;
      this.state.set('open');
      // Between two streams, changes have gone unnoticed.
      if (missed) this.tell('all');
    };
    source.onmessage = ({ data }: MessageEvent<string>) => this.receive(JSON.parse(data) as ConsoleMessage);
    source.onerror = () => {
      this.state.set('lost');
      // The browser connects again by itself, unless the server has answered something else than a stream.
      if (source.readyState !== EventSource.CLOSED || this.source !== source) return;
      this.schedule(DELAYS[Math.min(this.failures++, DELAYS.length - 1)]);
    };
  }

  private close(state: StreamState): void {
    this.source?.close();
    this.source = undefined;
    this.state.set(state);
  }

  private receive(message: ConsoleMessage): void {
    if (message.type === 'log') for (const listener of this.logListeners) listener(message);
    else this.tell(message.type === 'reset' ? 'all' : message.topics);
  }

  private tell(topics: readonly ConsoleTopic[] | 'all'): void {
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
