import { type Clock, type ClockTimer, detach } from 'kube-common';
import type { ServerResponse } from 'node:http';
import type { Awaitable, ObjectAddress, OperatorEvent, OperatorInspection } from 'nestjs-kopf/inspection';
import type { ConsoleMessage, ConsoleObjectTopic, ConsoleStreamTopic, InspectionTopic } from '../console.api.js';
import { ConsoleError } from '../console.error.js';
import { FetchedAnswers } from './fetched.answers.js';
import { StreamConnection } from './stream.connection.js';

/** The most streams of one operator to one viewer at the same time. */
const MOST_STREAMS = 100;

/** Milliseconds in which the last viewer can connect again and continue. */
const PATIENCE = 30_000;

/** Milliseconds between two messages with events, at least: each message costs a system call for each tab. */
const LOG_INTERVAL = 200;

/** Milliseconds for which changes of a topic are collected, as few come alone. */
const TOPIC_DELAY = 50;

/** Milliseconds between two messages that a topic has changed, at least. */
const TOPIC_INTERVAL = 200;

/** The same for topics that are read, but not watched: numbers that change several times in a second cannot be read. */
const CALM_INTERVAL = 1000;

/** Milliseconds by which a topic is reported early, if it can go with something else into one message. */
const TOGETHER = 50;

/** The topics whose changes viewers wait for. */
const LIVELY: ReadonlySet<ConsoleStreamTopic> = new Set<InspectionTopic>(['now', 'objects']);

/** The longest interval, however long an answer takes, as no viewer waits for longer. */
const LONGEST_INTERVAL = 5000;

/** The greatest share of the time that fetching an answer again may take. */
const MOST_SHARE = 0.01;

/** Milliseconds by which a tab can have fetched its answers before its stream begins. */
const HEAD_START = 5000;

/** The divisor of how much longer an answer takes than those before it. */
const INERTIA = 8;

/** A topic that has changed since it was reported last. Times are on the monotonic clock. */
interface ChangedTopic {
  /** When it can be reported early, together with another topic. */
  readonly readyAt: number;
  /** When its change is to be reported. */
  readonly at: number;
}

/** The hub that sends what happens at one operator to all viewers. It observes the inspection as long as there are viewers. */
export class StreamHub {
  private readonly connections = new Set<StreamConnection>();
  private unsent: OperatorEvent[] = [];
  private readonly changed = new Map<ConsoleStreamTopic, ChangedTopic>();
  /** When each topic was looked at last, on the monotonic clock. */
  private readonly lookedAt = new Map<ConsoleStreamTopic, number>();
  /** When each topic has changed last, on the monotonic clock, with or without subscribers. */
  private readonly changedAt = new Map<ConsoleStreamTopic, number>();
  private readonly fetched: FetchedAnswers;
  private readonly costs = new Map<ConsoleStreamTopic, number>();
  private unsubscribe?: () => void;
  private flushedAt = -Infinity;
  private lastNumber = 0;
  private patience?: ClockTimer;
  private sending?: ClockTimer;
  private sendingAt = Infinity;
  private isClosed = false;

  constructor(
    private readonly inspection: OperatorInspection,
    private readonly clock: Clock,
  ) {
    this.fetched = new FetchedAnswers(clock);
  }

  /**
   * Begins a stream.
   *
   * @param viewer identifies the viewer: by name, or by the address of the connection.
   * @param lastEventId names the last message that the browser has got, if it connects again.
   * @throws ConsoleError 503 if the viewer has too many, or if the application stops.
   */
  open(
    response: ServerResponse,
    topics: ReadonlySet<string>,
    { viewer, lastEventId }: { readonly viewer: string; readonly lastEventId?: string },
  ): void {
    if (this.isClosed) throw new ConsoleError(503, 'The application stops.');
    // One viewer with many tabs, or a script, must not keep the others out.
    const own = [...this.connections].filter((connection) => connection.viewer === viewer);
    if (own.length >= MOST_STREAMS) throw new ConsoleError(503, 'There are too many streams to this viewer.');
    const connection = new StreamConnection(response, this.clock, { topics, viewer }, () => this.remove(connection));
    this.patience?.cancel();
    // What happened before the first viewer is not known, so the log begins with the first stream.
    this.unsubscribe ??= this.inspection.subscribe({
      log: (event) => this.log(event),
      changed: (topic) => this.recordChange(topic),
      changedObject: (object) => this.recordObject(object),
    });
    this.connections.add(connection);
    connection.open();
    this.greet(connection, lastEventId);
    // The tab has fetched its answers at the same time, so that what has changed since then was not reported.
    const since = this.clock.monotonic() - HEAD_START;
    for (const [topic, at] of this.changedAt) if (at >= since && topics.has(topic)) this.reportSoon(topic);
  }

  /**
   * Answers a question about a topic for a tab, to which changes of the answer are reported.
   *
   * @param question the key of the answer among those about the topic.
   */
  async answer<T>(topic: InspectionTopic, question: string, ask: () => Awaitable<T>): Promise<T> {
    const begun = this.clock.monotonic();
    const answer = await ask();
    if (this.connections.size > 0) this.fetched.record(topic, question, answer, ask);
    this.recordCost(topic, this.clock.monotonic() - begun);
    return answer;
  }

  /** Ends all streams, as the application stops. */
  close(): void {
    this.isClosed = true;
    for (const connection of this.connections) connection.close();
    for (const timer of [this.patience, this.sending]) timer?.cancel();
    this.leave();
  }

  private greet(connection: StreamConnection, lastEventId: string | undefined): void {
    const { logBeganAt: beganAt } = this.inspection;
    const [log, number] = (lastEventId ?? '').split('-').map(Number);
    const events = this.inspection.recentEvents();
    const newest = events.at(-1)?.number ?? 0;
    const oldest = events[0]?.number ?? 1;
    const isKnown = log === beganAt && number >= oldest - 1 && number <= newest;
    this.lastNumber = newest;
    if (lastEventId !== undefined && !isKnown) return connection.send([{ type: 'reset' }], this.currentId);
    const missed = isKnown && connection.topics.has('log') ? events.filter((event) => event.number > number) : [];
    const topics = isKnown ? [...connection.topics].filter(isTopic) : [];
    connection.send(
      [{ type: 'log', beganAt, events: missed }, ...(topics.length > 0 ? [{ type: 'changed', topics } as const] : [])],
      this.currentId,
    );
  }

  /** The id of the last event that was sent, so that a browser which connects again gets those after it. */
  private get currentId(): string {
    const [next] = this.unsent;
    return `${this.inspection.logBeganAt}-${next ? next.number - 1 : this.lastNumber}`;
  }

  private remove(connection: StreamConnection): void {
    this.connections.delete(connection);
    for (const topic of this.lookedAt.keys()) if (!this.isWanted(topic)) this.lookedAt.delete(topic);
    if (this.connections.size > 0) return;
    if (!this.isClosed) this.patience = this.clock.setTimer(() => this.leave(), PATIENCE);
  }

  private leave(): void {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    this.changed.clear();
    this.changedAt.clear();
    this.fetched.clear();
    this.unsent = [];
  }

  private log(event: OperatorEvent): void {
    this.lastNumber = event.number;
    if (!this.isWanted('log')) return;
    this.unsent.push(event);
    // The first event after a while is sent at once, with those that come together with it.
    this.sendAt(Math.max(this.clock.monotonic(), this.flushedAt + LOG_INTERVAL));
  }

  private recordObject(object: ObjectAddress | undefined): void {
    let wanted: string | undefined;
    for (const { topics } of this.connections) {
      for (const topic of topics) {
        if (!isObjectTopic(topic)) continue;
        if (object) wanted ??= topicOf(object);
        if (wanted === undefined || topic === wanted) this.recordChange(topic);
      }
    }
  }

  private recordChange(topic: ConsoleStreamTopic): void {
    if (!isObjectTopic(topic)) this.changedAt.set(topic, this.clock.monotonic());
    this.reportSoon(topic);
  }

  private reportSoon(topic: ConsoleStreamTopic): void {
    if (this.changed.has(topic) || !this.isWanted(topic)) return;
    const readyAt = this.clock.monotonic() + TOPIC_DELAY;
    const at = Math.max(readyAt, (this.lookedAt.get(topic) ?? -Infinity) + this.pauseOf(topic));
    this.changed.set(topic, { readyAt, at });
    this.sendAt(at);
  }

  private isWanted(topic: ConsoleStreamTopic | 'log'): boolean {
    for (const { topics } of this.connections) if (topics.has(topic)) return true;
    return false;
  }

  private sendAt(time: number): void {
    if (time >= this.sendingAt) return;
    this.sending?.cancel();
    this.sendingAt = time;
    this.sending = this.clock.setTimer(() => detach(() => this.send()), time - this.clock.monotonic());
  }

  /** Sends the events, and reports the topics that are due, in one message to each tab; the other topics are reported later. */
  private send(): void {
    this.sending = undefined;
    this.sendingAt = Infinity;
    const now = this.clock.monotonic();
    const events = this.unsent;
    this.unsent = [];
    if (events.length > 0) this.flushedAt = now;
    const due = this.takeDue(now);
    const beganAt = this.inspection.logBeganAt;
    for (const connection of this.connections) {
      const messages: ConsoleMessage[] = [];
      if (events.length > 0 && connection.topics.has('log')) messages.push({ type: 'log', beganAt, events });
      const topics = due.filter((topic) => connection.topics.has(topic));
      if (topics.length > 0) messages.push({ type: 'changed', topics });
      if (messages.length > 0) connection.send(messages, this.currentId);
    }
    for (const { at } of this.changed.values()) this.sendAt(at);
  }

  /** Takes out the topics whose time has come, or nearly so. @returns those of which a tab can show something old */
  private takeDue(now: number): readonly ConsoleStreamTopic[] {
    const due: ConsoleStreamTopic[] = [];
    for (const [topic, { readyAt, at }] of this.changed) {
      if (readyAt > now || at > now + TOGETHER) continue;
      this.changed.delete(topic);
      this.lookedAt.set(topic, now);
      if (isObjectTopic(topic) || this.areOld(topic)) due.push(topic);
    }
    return due;
  }

  private areOld(topic: InspectionTopic): boolean {
    const begun = this.clock.monotonic();
    const areOld = this.fetched.areOld(topic);
    if (areOld) this.fetched.forget(topic);
    else this.recordCost(topic, this.clock.monotonic() - begun);
    return areOld;
  }

  /** A long time counts little, as another task can have had the processor in between; a short one counts at once. */
  private recordCost(topic: InspectionTopic, milliseconds: number): void {
    const known = this.costs.get(topic) ?? milliseconds;
    this.costs.set(topic, Math.min(milliseconds, known + (milliseconds - known) / INERTIA));
  }

  private pauseOf(topic: ConsoleStreamTopic): number {
    const shortest = LIVELY.has(topic) ? TOPIC_INTERVAL : CALM_INTERVAL;
    return Math.min(LONGEST_INTERVAL, Math.max(shortest, (this.costs.get(topic) ?? 0) / MOST_SHARE));
  }
}

function topicOf({ resource, namespace = '-', name }: ObjectAddress): ConsoleObjectTopic {
  return `objects/${[resource, namespace, name].map(encodeURIComponent).join('/')}`;
}

function isObjectTopic(topic: string): topic is ConsoleObjectTopic {
  return topic.startsWith('objects/');
}

function isTopic(topic: string): topic is ConsoleStreamTopic {
  return isObjectTopic(topic) || (TOPICS as readonly string[]).includes(topic);
}

/** All topics but the log, and single objects. */
export const TOPICS: readonly InspectionTopic[] = [
  'overview',
  'now',
  'objects',
  'handlers',
  'watches',
  'coordination',
  'webhooks',
  'memory',
];
