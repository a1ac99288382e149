import { Injectable, Scope } from '@nestjs/common';
import {
  OnCreate,
  OnError,
  OnResume,
  PermanentError,
  TemporaryError,
  Timer,
  type ChangeContext,
  type TimerContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

describe('decisions on errors', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
  });

  it('should be made for each error, synchronous or not, and by the handler before the class', async () => {
    const decisions: string[] = [];
    @Injectable()
    @OnError((error: Error, { name }: ChangeContext) => {
      decisions.push(`class: ${error.message} of ${name}`);
      return 'ignored';
    })
    class Operator {
      @OnCreate(...KEX)
      sync() {
        throw new Error('sync');
      }

      @OnCreate(...KEX)
      async delayed() {
        await Promise.resolve();
        throw new Error('delayed');
      }

      @OnCreate(...KEX, { onError: 'decide' })
      own() {
        throw new Error('own');
      }

      async decide(error: Error) {
        decisions.push(`method of ${this.constructor.name}: ${error.message}`);
        await Promise.resolve();
        return new PermanentError('final');
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(100);
    expect(decisions).toEqual(['class: sync of a', 'class: delayed of a', 'method of Operator: own']);
    expect(harness.logger.messages('error')).toEqual(["[ns/a] Handler 'own' failed permanently: final"]);
    expect(harness.logger.messages('log')).toContain('[ns/a] Creation is processed: 2 succeeded; 1 failed.');
  });

  it('should leave errors alone for which nothing is decided, and take those that are thrown', async () => {
    let attempts = 0;
    @Injectable()
    class Operator {
      @OnCreate(...KEX, { backoff: 5, retries: 2, onError: () => undefined })
      undecided() {
        attempts += 1;
        throw new Error('as it is');
      }

      @OnCreate(...KEX, {
        onError: () => {
          throw new PermanentError('thrown');
        },
      })
      thrown() {
        throw new Error('replaced');
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(60);
    expect(attempts).toBe(2);
    expect(harness.logger.messages('error').join('\n')).toContain("Handler 'thrown' failed permanently: thrown");
  });

  it('should not be asked while a handler waits for its sub-handlers', async () => {
    const decided: unknown[] = [];
    let attempts = 0;
    @Injectable()
    @OnError((error) => void decided.push(error))
    class Operator {
      @OnCreate(...KEX)
      async parent({ execute }: ChangeContext) {
        await execute({
          child: () => {
            attempts += 1;
            if (attempts < 3) throw new TemporaryError('Not yet.', { delay: 1 });
          },
        });
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(30);
    expect(attempts).toBe(3);
    expect(decided).toEqual([]);
  });

  it('should be made for timers, and call a method with several decorators once', async () => {
    let calls = 0;
    let failures = 0;
    @Injectable()
    @OnError(() => new TemporaryError('Again.', { delay: 1 }))
    class Operator {
      @OnResume(...KEX)
      @OnCreate(...KEX)
      once() {
        calls += 1;
      }

      @Timer(...KEX, { interval: 100 })
      tick({ retry }: TimerContext) {
        failures += 1;
        if (retry < 2) throw new Error('Fails twice.');
      }
    }
    await harness.run(Operator);
    await harness.create('a');
    await harness.advance(10);
    expect([calls, failures]).toEqual([1, 3]);
  });

  it('should be refused at the start if there is no such method', async () => {
    @Injectable()
    class Operator {
      @OnCreate(...KEX, { onError: 'nothing' })
      create() {}
    }
    await expect(harness.run(Operator)).rejects.toThrow("onError: the class has no method 'nothing'");
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      @OnCreate(...KEX, { onError: 'create' })
      create() {}
    }
    await expect(harness.run(Scoped)).rejects.toThrow(/give a function/);
  });
});
