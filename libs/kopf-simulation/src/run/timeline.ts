import type { Clock } from 'kube-common';
import type {
  OperatorEvent,
  OperatorEventActor,
  OperatorEventCall,
  OperatorEventChange,
  OperatorEventObject,
  OperatorEventType,
} from 'nestjs-kopf/inspection';
import { findDifferences, redactDiff, SECRET_FIELDS } from 'nestjs-kopf/tooling';
import type { ObjectDiff } from 'nestjs-kopf';
import { RunDigest } from './run.digest.js';
import { foldedName } from '../oracles/final.state.js';
import type { Violation } from '../oracles/violation.js';
import type { WorldChange } from '../world/world.server.js';

/** The parts of an event beside its text. */
export interface TimelineDetails {
  /** @default 'note' */
  readonly type?: OperatorEventType;
  readonly object?: OperatorEventObject;
  readonly call?: OperatorEventCall;
  readonly change?: NotedChange;
  readonly fault?: string;
}

/** A change whose differences are computed on demand, as most runs find nothing and their differences are never read. */
export interface NotedChange
  extends Omit<OperatorEventChange, 'fields' | 'type'>, Pick<WorldChange, 'type' | 'object' | 'previous'> {}

/** An event as it is kept during the run. */
export interface TimelineEntry extends TimelineDetails {
  readonly time: number;
  readonly actor: OperatorEventActor;
  readonly text: string;
}

const FAULT: OperatorEventActor = { kind: 'fault', name: 'fault' };
const USER: OperatorEventActor = { kind: 'user', name: 'user' };

/** The record of what happens in a run, in its order. */
export class Timeline {
  readonly entries: TimelineEntry[] = [];
  /** The hash of the events, and of data that they do not show. */
  readonly digest = new RunDigest();
  private isOver = false;

  constructor(private readonly clock: Clock) {}

  /** @param actor `fault`, `user`, the name of another client, or a process of the operator */
  note(actor: string | OperatorEventActor, text: string, details?: TimelineDetails): void {
    if (this.isOver) return;
    const entry = { time: this.clock.monotonic() / 1000, actor: toActor(actor), text, ...details };
    this.entries.push(entry);
    this.digest.addEvent(entry.time, entry.actor.name, text);
  }

  noteViolations(violations: readonly Violation[]): void {
    for (const { check, message } of violations) this.note('fault', `${check}: ${message}`, { type: 'violation' });
  }

  /** Stops recording. */
  end(): void {
    this.isOver = true;
  }

  /** @param place the number of the change, and the actors from which it is hidden */
  noteChange(
    actor: string | OperatorEventActor,
    { type, resource, object, previous }: WorldChange,
    { number, hiddenFrom }: Pick<NotedChange, 'number' | 'hiddenFrom'>,
  ): void {
    const hidden = hiddenFrom.length ? `, which ${hiddenFrom.join(' and ')} cannot see` : '';
    const { name = '', namespace } = object.metadata;
    this.note(actor, `${type.toLowerCase()} ${foldedName(object)} (change ${number}${hidden})`, {
      type: 'change',
      object: { kind: object.kind ?? '', namespace, name },
      change: { number, type, resource, object, previous, hiddenFrom },
    });
  }

  /** Creates the event log of what was recorded. */
  events(): readonly OperatorEvent[] {
    return this.entries.map(({ time, actor, text, type = 'note', change, ...details }, index) => ({
      number: index + 1,
      time,
      type,
      actor,
      text,
      ...details,
      ...(change && { change: describeChange(change) }),
    }));
  }
}

function toActor(actor: string | OperatorEventActor): OperatorEventActor {
  if (typeof actor !== 'string') return actor;
  if (actor === FAULT.name) return FAULT;
  return actor === USER.name ? USER : { kind: 'cluster', name: actor };
}

function describeChange({ number, type, resource, object, previous, hiddenFrom }: NotedChange): OperatorEventChange {
  const fields =
    type === 'DELETED'
      ? []
      : findDifferences(previous, object, resource === 'secrets' ? redactSecret : (items) => items);
  return { number, type: type.toLowerCase() as OperatorEventChange['type'], resource, fields, hiddenFrom };
}

function redactSecret(items: ObjectDiff): ObjectDiff {
  return redactDiff(items, SECRET_FIELDS) as ObjectDiff;
}
