import { OnCreate, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import type { Calls } from '../../support/operators/calls.js';
import { KEX } from '../../support/operators/operator.harness.js';

/** Makes an operator that takes note of creations and updates, and says in the status what was updated. */
export function counting(calls: Calls) {
  class Counting {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      calls.add('create', context);
    }
    @OnUpdate(...KEX)
    update(context: ChangeContext) {
      calls.add('update', context);
      return { seen: context.diff.map(([operation, path]) => `${operation} ${path.join('.')}`) };
    }
  }
  return Counting;
}
