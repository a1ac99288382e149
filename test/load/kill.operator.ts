import { Injectable, type Type } from '@nestjs/common';
import { OnCreate, OnDelete, OnUpdate, type ChangeContext } from 'nestjs-kopf';

const EXAMPLES = ['kopf.dev', 'v1', 'kopfexamples'] as const;

/** Does what a handler has to do: takes time, fails or succeeds. */
export type Act = (handler: string, context: ChangeContext) => Promise<unknown>;

/** An operator with several handlers for each kind of change, so that there is something to be interrupted in. */
export function makeKillOperator(act: Act): Type {
  @Injectable()
  class KillOperator {
    @OnCreate(...EXAMPLES, { id: 'create_first', backoff: 2 })
    createFirst(context: ChangeContext) {
      return act('create_first', context);
    }

    @OnCreate(...EXAMPLES, { id: 'create_second', backoff: 2 })
    async createSecond(context: ChangeContext) {
      for (const child of ['one', 'two']) {
        context.subhandler(child, (inner) => act(`create_second/${child}`, inner), { backoff: 1 });
      }
    }

    @OnUpdate(...EXAMPLES, { id: 'update_first', backoff: 2 })
    updateFirst(context: ChangeContext) {
      return act('update_first', context);
    }

    @OnUpdate(...EXAMPLES, { id: 'update_second', backoff: 2 })
    updateSecond(context: ChangeContext) {
      return act('update_second', context);
    }

    @OnDelete(...EXAMPLES, { id: 'delete_first', backoff: 2 })
    deleteFirst(context: ChangeContext) {
      return act('delete_first', context);
    }

    @OnDelete(...EXAMPLES, { id: 'delete_second', backoff: 2 })
    deleteSecond(context: ChangeContext) {
      return act('delete_second', context);
    }
  }
  return KillOperator;
}
