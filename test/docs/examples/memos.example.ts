// #region imports
import { Injectable } from '@nestjs/common';
import { OnEvent, OnStartup, Timer, type ActivityContext, type EventContext, type TimerContext } from 'nestjs-kopf';
// #endregion

// #region counter
interface Memo {
  counter?: number;
}

@Injectable()
export class CountingOperator {
  @OnEvent('kopfexamples.kopf.dev')
  count({ memo }: EventContext<unknown, unknown, Memo>) {
    memo.counter = (memo.counter ?? 0) + 1;
  }

  @Timer('kopfexamples.kopf.dev', { interval: 10 })
  report({ memo, logger }: TimerContext<unknown, unknown, Memo>) {
    logger.log(`There were ${memo.counter ?? 0} events in 10 seconds.`);
    memo.counter = 0;
  }
}
// #endregion

// #region operator
interface SharedMemo {
  queue?: string[];
  isSeen?: boolean;
}

@Injectable()
export class QueueOperator {
  @OnStartup()
  prepare({ memo }: ActivityContext<SharedMemo>) {
    memo.queue = [];
  }

  @OnEvent('kopfexamples.kopf.dev')
  note({ memo, name }: EventContext<unknown, unknown, SharedMemo>) {
    if (!memo.isSeen) memo.queue?.push(name);
    memo.isSeen = true;
  }
}
// #endregion

// #region class
export class Greetings {
  readonly given: string[] = [];

  constructor(readonly text: string) {}

  greet(name: string) {
    this.given.push(`${this.text}, ${name}!`);
  }

  clone() {
    return this;
  }
}

@Injectable()
export class GreetingOperator {
  @OnEvent('kopfexamples.kopf.dev')
  greet({ memo, name }: EventContext<unknown, unknown, Greetings>) {
    memo.greet(name);
  }
}
// #endregion

// #region options
export const options = { memo: new Greetings('Hello') };
// #endregion
