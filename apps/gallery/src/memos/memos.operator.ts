import { Injectable } from '@nestjs/common';
import { OnCreate, OnStartup, OnUpdate, type ActivityContext, type ChangeContext } from 'nestjs-kopf';
import { EXAMPLES } from '../examples.js';

/** Holds what all objects share, and what each of them has for itself. */
export interface CounterMemo {
  /** One object for all: each memo is a shallow copy of the operator's. */
  total: { changes: number };
  changes?: number;
}

/** Counts changes in memory: of each object, and of all of them. Nothing of it is stored, so a restart begins at zero. */
@Injectable()
export class MemosOperator {
  @OnStartup()
  prepare({ memo }: ActivityContext<CounterMemo>) {
    memo.total = { changes: 0 };
  }

  @OnCreate(EXAMPLES)
  @OnUpdate(EXAMPLES)
  count({ memo, patch, logger }: ChangeContext<any, any, CounterMemo>) {
    memo.changes = (memo.changes ?? 0) + 1;
    memo.total.changes += 1;
    patch.status.changes = memo.changes;
    logger.log(`This is change ${memo.changes} of the object, and ${memo.total.changes} of all.`);
  }
}
