import { OnCreate, OnDelete, OnResume, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import type { Calls } from '../../support/operators/calls.js';
import { KEX } from '../../support/operators/operator.harness.js';

/** Makes an operator with a handler of each kind of changes that takes note of its calls. */
export function recordingOperator(calls: Calls) {
  class Watchful {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      calls.add('create', context);
    }
    @OnUpdate(...KEX)
    update(context: ChangeContext) {
      calls.add('update', context);
    }
    @OnResume(...KEX)
    resume(context: ChangeContext) {
      calls.add('resume', context);
    }
    @OnDelete(...KEX)
    remove(context: ChangeContext) {
      calls.add('delete', context);
    }
  }
  return Watchful;
}
