import type { Type } from '@nestjs/common';
import { OnCreate, OnEvent, OnUpdate, type ChangeContext, type EventContext } from 'nestjs-kopf';
import type { KnownValue } from './busy.user.js';

/** A class of handlers for `kopfexamples`, and what they were told. */
export interface Witness {
  readonly Handlers: Type;
  /** The value of the last state of each object that was handled, by uids. */
  readonly handled: ReadonlyMap<string, number>;
  /** The uids of the objects whose deletion was noticed. */
  readonly deleted: ReadonlySet<string>;
  /** Of the given objects, those whose last state was not handled. */
  missed(objects: readonly KnownValue[]): readonly KnownValue[];
  /** Of the objects that have gone, those that were handled, but whose deletion was not noticed. */
  forgotten(gone: readonly string[]): readonly string[];
}

/** Makes an operator that notes what it sees. */
export function makeWitness(): Witness {
  const handled = new Map<string, number>();
  const deleted = new Set<string>();

  class Handlers {
    @OnCreate('kopf.dev/v1', 'kopfexamples')
    @OnUpdate('kopf.dev/v1', 'kopfexamples')
    change({ uid, spec }: ChangeContext<{ value: number }>): void {
      handled.set(uid, spec.value);
    }

    @OnEvent('kopf.dev/v1', 'kopfexamples')
    event({ type, uid }: EventContext): void {
      if (type === 'DELETED') deleted.add(uid);
    }
  }
  const missed = (objects: readonly KnownValue[]): readonly KnownValue[] =>
    objects.filter(({ uid, value }) => handled.get(uid) !== value);
  const forgotten = (gone: readonly string[]): readonly string[] =>
    gone.filter((uid) => handled.has(uid) && !deleted.has(uid));
  return { Handlers, handled, deleted, missed, forgotten };
}
