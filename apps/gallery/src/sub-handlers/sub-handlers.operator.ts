import { Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, TemporaryError, type ChangeContext } from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

interface ItemsSpec {
  readonly items: readonly string[];
}

/** Makes each item of an object on its own: those that fail are tried again, those that are done are not. */
@Injectable()
export class SubHandlersOperator {
  /** The attempts, in their order. */
  readonly attempts: string[] = [];

  @OnCreate(EXAMPLES)
  @OnUpdate(EXAMPLES, { field: 'spec.items' })
  make({ spec, subhandler }: ChangeContext<ItemsSpec>) {
    for (const item of spec.items) subhandler(item, (context) => this.makeItem(item, context));
  }

  private makeItem(item: string, { retry }: ChangeContext<ItemsSpec>) {
    this.attempts.push(item);
    if (item.startsWith('hard-') && retry < 2) throw new TemporaryError('It is hard.', { delay: 5 });
    return { attempts: retry + 1 };
  }
}
