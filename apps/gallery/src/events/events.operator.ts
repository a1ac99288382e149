import { Injectable } from '@nestjs/common';
import { event, OnCreate, OnEvent, type ChangeContext, type EventContext } from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

/** Watches everything that happens, and tells users of it: `kubectl describe kopfexample`. */
@Injectable()
export class EventsOperator {
  /** Records the events with their objects, as they came from the API server. */
  readonly history: string[] = [];

  @OnEvent(EXAMPLES)
  note({ type, name }: EventContext) {
    this.history.push(`${name} ${type ?? 'LISTED'}`);
  }

  @OnCreate(EXAMPLES)
  create({ spec, body, info, warn }: ChangeContext<{ size?: number }>) {
    info({ reason: 'Created', message: 'It is known now.' });
    if (!spec.size) warn({ reason: 'NoSize', message: 'Without a size, one is chosen.' });
    // An event can be of any type, and about any object.
    event(body, { type: 'Audit', reason: 'Seen', message: 'Somebody has looked at it.' });
  }
}
