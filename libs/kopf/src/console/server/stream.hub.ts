import type { ServerResponse } from 'node:http';
import type { Clock, ClockTimer } from '../../common/clock.js';
import type { OperatorEvent } from '../../event-log/operator.event.js';
import type { ConsoleTopic } from '../console.api.js';
import { ConsoleError } from '../console.error.js';
import type { ConsoleSource } from '../console.source.js';
import { StreamConnection } from './stream.connection.js';

/** The most events that are kept for those who connect again. */
const MOST_EVENTS = 2000;

/** The most streams of one operator at the same time. */
const MOST_STREAMS = 100;

/** Milliseconds for which the last one who looked can connect again and go on. */
const PATIENCE = 30_000;

/** Milliseconds for which events are collected. */
const LOG_INTERVAL = 50;

/** Milliseconds between two messages that a topic has changed, at least. */
const TOPIC_INTERVAL = 150;

/** The longest one, however long it takes to answer, as nobody waits for longer. */
const LONGEST_INTERVAL = 5000;

/** An answer that is fetched anew must not take more than this share of the time. */
const MOST_SHARE = 0.01;

/** Divides by how much longer an answer takes than those before it. */
const INERTIA = 8;

/** Sends what happens at one operator to all who look. The source is followed as long as somebody does. */
export class StreamHub {
  private readonly connections = new Set<StreamConnection>();
  private events: OperatorEvent[] = [];
  private unsent: OperatorEvent[] = [];
  private readonly changed = new Set<ConsoleTopic>();
  /** When each topic was told of last, on the monotonic clock. */
  private readonly toldAt = new Map<ConsoleTopic, number>();
  private readonly costs = new Map<ConsoleTopic, number>();
  private unfollow?: () => void;
  private flushedAt = -Infinity;
  private patience?: ClockTimer;
  private flushing?: ClockTimer;
  private telling?: ClockTimer;
  private isClosed = false;

  constructor(
    private readonly source: ConsoleSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins a stream.
   *
   * @param lastEventId names the last message that the browser has got, if it connects again.
   * @throws ConsoleError 503 if there are too many, or if the application stops.
   */
  open(response: ServerResponse, topics: ReadonlySet<string>, lastEventId: string | undefined): void {
    if (this.isClosed) throw new ConsoleError(503, 'The application stops.');
    if (this.connections.size >= MOST_STREAMS) throw new ConsoleError(503, 'There are too many streams.');
    const connection = new StreamConnection(response, this.clock, topics, () => this.remove(connection));
    this.patience?.cancel();
    // What happened before somebody looked is not known, so the log begins with the first stream.
    this.unfollow ??= this.source.follow({
      log: (event) => this.log(event),
      changed: (topic) => this.note(topic),
    });
    this.connections.add(connection);
    connection.open();
    this.greet(connection, lastEventId);
  }

  /**
   * Takes note how long it takes to answer what a topic is about, in milliseconds. A long time counts little, as something else can have
   * had the processor meanwhile; a short one counts at once.
   */
  noteCost(topic: ConsoleTopic, milliseconds: number): void {
    const known = this.costs.get(topic) ?? milliseconds;
    this.costs.set(topic, Math.min(milliseconds, known + (milliseconds - known) / INERTIA));
  }

  /** Ends all streams, as the application stops. */
  close(): void {
    this.isClosed = true;
    for (const connection of this.connections) connection.close();
    for (const timer of [this.patience, this.flushing, this.telling]) timer?.cancel();
    this.leave();
  }

  private greet(connection: StreamConnection, lastEventId: string | undefined): void {
    const { logBeganAt } = this.source;
    const [log, number] = (lastEventId ?? '').split('-').map(Number);
    const newest = this.events.at(-1)?.number ?? 0;
    const oldest = this.events[0]?.number ?? 1;
    const isKnown = log === logBeganAt && number >= oldest - 1 && number <= newest;
    const missed = isKnown ? this.events.filter((event) => event.number > number) : [];
    if (lastEventId !== undefined && !isKnown) connection.send({ type: 'reset' }, this.currentId);
    else if (missed.length > 0 && connection.topics.has('log')) {
      connection.send({ type: 'log', beganAt: logBeganAt, events: missed }, this.currentId);
    } else connection.send({ type: 'log', beganAt: logBeganAt, events: [] }, this.currentId);
    const topics = TOPICS.filter((topic) => connection.topics.has(topic));
    if (isKnown && topics.length > 0) connection.send({ type: 'changed', topics }, this.currentId);
  }

  private get currentId(): string {
    return `${this.source.logBeganAt}-${this.events.at(-1)?.number ?? 0}`;
  }

  private remove(connection: StreamConnection): void {
    this.connections.delete(connection);
    if (this.connections.size > 0) return;
    if (!this.isClosed) this.patience = this.clock.setTimer(() => this.leave(), PATIENCE);
  }

  private leave(): void {
    this.unfollow?.();
    this.unfollow = undefined;
    this.changed.clear();
    this.unsent = [];
    // Nobody tells of what happens from here on, so that nobody can go on here.
    this.events = [];
  }

  private log(event: OperatorEvent): void {
    // The number begins anew with another log.
    if (event.number === 1) this.events = [];
    this.events.push(event);
    if (this.events.length > MOST_EVENTS * 2) this.events = this.events.slice(-MOST_EVENTS);
    this.unsent.push(event);
    // The first event after a while is sent at once, with those that come together with it.
    const quiet = this.clock.monotonic() - this.flushedAt;
    this.flushing ??= this.clock.setTimer(() => this.flush(), Math.max(0, LOG_INTERVAL - quiet));
  }

  private flush(): void {
    this.flushing = undefined;
    this.flushedAt = this.clock.monotonic();
    const events = this.unsent;
    this.unsent = [];
    if (events.length === 0) return;
    const beganAt = this.source.logBeganAt;
    for (const connection of this.connections) {
      if (connection.topics.has('log')) connection.send({ type: 'log', beganAt, events }, this.currentId);
    }
  }

  private note(topic: ConsoleTopic): void {
    this.changed.add(topic);
    this.telling ??= this.clock.setTimer(() => this.tell(), LOG_INTERVAL);
  }

  /** Tells of the topics whose time has come; the others follow. The first change is told of at once, and further ones less often. */
  private tell(): void {
    this.telling = undefined;
    const now = this.clock.monotonic();
    const due = [...this.changed].filter((topic) => this.dueAt(topic) <= now);
    for (const topic of due) {
      this.changed.delete(topic);
      this.toldAt.set(topic, now);
    }
    for (const connection of due.length > 0 ? this.connections : []) {
      const topics = due.filter((topic) => connection.topics.has(topic));
      if (topics.length > 0) connection.send({ type: 'changed', topics }, this.currentId);
    }
    if (this.changed.size === 0) return;
    const next = Math.min(...[...this.changed].map((topic) => this.dueAt(topic)));
    this.telling = this.clock.setTimer(() => this.tell(), Math.max(LOG_INTERVAL, next - now));
  }

  private dueAt(topic: ConsoleTopic): number {
    const cost = this.costs.get(topic) ?? 0;
    const pause = Math.min(LONGEST_INTERVAL, Math.max(TOPIC_INTERVAL, cost / MOST_SHARE));
    return (this.toldAt.get(topic) ?? -Infinity) + pause;
  }
}

/** All topics but the log. */
export const TOPICS: readonly ConsoleTopic[] = [
  'overview',
  'now',
  'objects',
  'handlers',
  'watches',
  'coordination',
  'webhooks',
  'memory',
];
