import { type Clock, isMap, stringifyJson } from 'kube-common';
import type { InspectionTopic } from '../console.api.js';
import type { Awaitable } from 'nestjs-kopf/inspection';

/** The most answers of a topic that are compared. Where more are looked at, it costs less to have them fetched. */
const MOST_COMPARED = 8;

/**
 * Milliseconds for which answers are compared. After that, changes are reported to tabs anyway, so that answers that no tab shows any more
 * are forgotten.
 */
const TRUSTED = 15_000;

/** The answers about one topic that tabs have fetched since its last reported change. */
interface FetchedTopic {
  /** On the monotonic clock. */
  readonly since: number;
  readonly answers: Map<string, FetchedAnswer>;
  /** Two tabs have fetched different answers to the same question, so that one of them shows an old one. */
  isOld: boolean;
}

interface FetchedAnswer {
  readonly answer: unknown;
  readonly ask: () => Awaitable<unknown>;
}

/**
 * The answers that tabs have fetched, to find out if they are still the same: of very many objects that change, a tab shows few, and to
 * look here costs much less than a request.
 */
export class FetchedAnswers {
  private readonly topics = new Map<InspectionTopic, FetchedTopic>();

  constructor(private readonly clock: Clock) {}

  /**
   * Records an answer that a tab gets.
   *
   * @param question the key of the answer among those about the topic. @param ask returns the present answer.
   */
  record(topic: InspectionTopic, question: string, answer: unknown, ask: () => Awaitable<unknown>): void {
    let fetched = this.topics.get(topic);
    if (!fetched) {
      fetched = { since: this.clock.monotonic(), answers: new Map(), isOld: false };
      this.topics.set(topic, fetched);
    }
    // So many are not compared anyway, and need not be kept.
    if (fetched.answers.size > MOST_COMPARED) return;
    const earlier = fetched.answers.get(question);
    if (earlier && !isSame(earlier.answer, answer)) fetched.isOld = true;
    fetched.answers.set(question, { answer, ask });
  }

  /** Whether a tab could show something else than it would get now; as far as this is not known, it is assumed. */
  areOld(topic: InspectionTopic): boolean {
    const fetched = this.topics.get(topic);
    if (!fetched || fetched.isOld || fetched.answers.size > MOST_COMPARED) return true;
    if (this.clock.monotonic() - fetched.since >= TRUSTED) return true;
    for (const answer of fetched.answers.values()) if (isOld(answer)) return true;
    return false;
  }

  /** Forgets the answers about a topic, as a tab that shows one fetches it again. */
  forget(topic: InspectionTopic): void {
    this.topics.delete(topic);
  }

  clear(): void {
    this.topics.clear();
  }
}

function isOld({ answer: earlier, ask }: FetchedAnswer): boolean {
  try {
    const answer = ask();
    if (!(answer instanceof Promise)) return !isSame(earlier, answer);
    // Nothing waits for the answer here.
    answer.catch(() => undefined);
  } catch {
    // The tab that fetches it gets the error.
  }
  return true;
}

/** Compares answers but for the times at which they were given. Most of a long one is the very same as before, and is not looked into. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isMap(one) || !isMap(other)) return stringifyJson(one) === stringifyJson(other);
  const names = Object.keys(one).filter((name) => name !== 'now');
  const count = Object.keys(other).length - Number('now' in other);
  return names.length === count && names.every((name) => isSamePart(one[name], other[name]));
}

function isSamePart(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!Array.isArray(one) || !Array.isArray(other)) return stringifyJson(one) === stringifyJson(other);
  return (
    one.length === other.length &&
    one.every((item, index) => item === other[index] || stringifyJson(item) === stringifyJson(other[index]))
  );
}
