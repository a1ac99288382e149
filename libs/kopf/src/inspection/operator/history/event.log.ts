import type { Clock } from 'kube-common';
import type { OperatorEvent } from '../../event-log/operator.event.js';

/** The most events that are written into the log in one second. */
const MOST_PER_SECOND = 500;

/** The most events in one second, those of errors included, so that failures are not lost among successes. */
const MOST_WITH_ERRORS = 600;

/** The most events that are kept, for viewers that come later or connect again. */
const MOST_KEPT = 2000;

/** The parts of an event that its writer knows. */
export type EventParts = Omit<OperatorEvent, 'number' | 'time'>;

/**
 * The event log, which numbers the events and sets their times. If an operator does thousands of things in a second, some events are left
 * out, as writing them would slow it down, and an event says how many.
 */
export class EventLog {
  /** When the log has begun, in milliseconds since the epoch. */
  beganAt: number;
  private began: number;
  private number = 0;
  private second = -1;
  private written = 0;
  private leftOut = 0;
  private kept: OperatorEvent[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly onEvent: (event: OperatorEvent) => void,
  ) {
    this.beganAt = clock.now();
    this.began = clock.monotonic();
  }

  /** The last events, the oldest first. */
  get recent(): readonly OperatorEvent[] {
    return cutLog(this.kept, MOST_KEPT);
  }

  /** The number of the last event; 0 if there was none. */
  get lastNumber(): number {
    return this.number;
  }

  /** Forgets the events. */
  clear(): void {
    this.kept = [];
  }

  /** Begins another log. */
  restart(): void {
    this.clear();
    this.beganAt = this.clock.now();
    this.began = this.clock.monotonic();
    this.number = 0;
    this.second = -1;
    this.leftOut = 0;
  }

  /**
   * Writes an event, if there is room for it in this second.
   *
   * @param describe creates the event; it is not called for an event that is left out.
   * @param isError whether the event may use the room that is kept for errors.
   */
  write(describe: () => EventParts, isError = false): OperatorEvent | undefined {
    this.turn();
    if (this.written >= (isError ? MOST_WITH_ERRORS : MOST_PER_SECOND)) {
      this.leftOut += 1;
      return undefined;
    }
    this.written += 1;
    return this.add(describe());
  }

  private turn(): void {
    const second = Math.floor((this.clock.monotonic() - this.began) / 1000);
    if (second === this.second) return;
    this.second = second;
    this.written = 0;
    const { leftOut } = this;
    this.leftOut = 0;
    if (leftOut === 0) return;
    const text = `${leftOut} events were left out, as there were more than ${MOST_PER_SECOND} in a second`;
    this.add({ type: 'note', actor: { kind: 'operator', name: 'operator' }, text });
  }

  private add(parts: EventParts): OperatorEvent {
    this.number += 1;
    const time = Math.round(this.clock.monotonic() - this.began) / 1000;
    const event = { number: this.number, time, ...parts };
    this.kept.push(event);
    if (this.kept.length > MOST_KEPT * 2) this.kept = [...cutLog(this.kept, MOST_KEPT)];
    this.onEvent(event);
    return event;
  }
}

/** The reasons of calls that come again and again when nothing is wrong: of timers, at each event, and reviews. */
const ROUTINE: ReadonlySet<string> = new Set(['timer', 'index', 'event', 'validate', 'mutate', 'convert']);

/** Whether an event is of a routine call, which repeats without any change. */
export function isRoutine({ call }: OperatorEvent): boolean {
  return call !== undefined && ROUTINE.has(call.reason) && call.error === undefined;
}

/** Leaves out the oldest events: at first those of routine calls while these are more than half, as they must not displace changes and errors. */
function cutLog(events: readonly OperatorEvent[], most: number): readonly OperatorEvent[] {
  const surplus = events.length - most;
  if (surplus <= 0) return events;
  const routine = events.filter(isRoutine).length;
  let dropped = Math.min(surplus, Math.max(0, routine - most / 2));
  return events.filter((event) => dropped <= 0 || !isRoutine(event) || dropped-- <= 0).slice(-most);
}
