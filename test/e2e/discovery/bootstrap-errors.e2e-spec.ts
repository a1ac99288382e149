import { Injectable, Scope } from '@nestjs/common';
import { KopfBootstrapError, OnCreate, OnDelete, OnEvent, OnUpdate, type ChangeContext } from 'nestjs-kopf';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

function creating(calls: Calls) {
  class Creating {
    @OnCreate(...KEX)
    create(context: ChangeContext) {
      calls.add('create', context);
    }
  }
  return Creating;
}

describe('Errors at bootstrap', () => {
  async function bootstrap(...handlers: never[]): Promise<unknown> {
    const harness = await OperatorHarness.start();
    return harness.run(handlers).catch((error: unknown) => error);
  }

  it('should fail the start if two methods have one id, and name both', async () => {
    class One {
      @OnCreate(...KEX)
      create() {}
    }
    class Two {
      @OnCreate(...KEX, { id: 'create' })
      change() {}
    }
    const error = await bootstrap(One as never, Two as never);
    expect(error).toBeInstanceOf(KopfBootstrapError);
    expect((error as Error).message).toMatch(/One.create and Two.change are both handlers 'create' of .*option 'id'/);
  });

  it('should be told in a warning if two methods have one id by selectors that mean the same resource', async () => {
    class One {
      @OnCreate('kex')
      create() {}
    }
    class Two {
      @OnCreate('KopfExample')
      create() {}
    }
    const harness = await OperatorHarness.start();
    await harness.run([One, Two]);
    expect(harness.logger.messages('warn').join()).toMatch(/One.create and Two.create .*'create' of kopfexamples/);
  });

  it('should fail the start with all of them at once, each with its class, method, and option', async () => {
    class Operator {
      @OnCreate(...KEX, { retries: -1, timeout: 'long' as never, nonsense: 1 } as never)
      create() {}
      @OnUpdate(...KEX, { value: 1 })
      update() {}
      @OnUpdate(...KEX, { id: 'other', field: 'spec.x', value: 1, old: 2 })
      other() {}
      @OnDelete(...KEX, { labels: { l: null as never } })
      remove() {}
      @OnEvent('a', 'b', 'c', 'd' as never)
      spy() {}
    }
    const error = (await bootstrap(Operator as never)) as KopfBootstrapError;
    expect(error.errors).toEqual([
      "Operator.create (@OnCreate): option 'retries' must be a whole number, not negative",
      "Operator.create (@OnCreate): option 'timeout' must be a number of seconds, not negative",
      expect.stringMatching(/^Operator.create \(@OnCreate\): option 'nonsense' does not exist; there are id, param, /),
      "Operator.update (@OnUpdate): option 'value' needs the option 'field'",
      "Operator.other (@OnUpdate): option 'old' excludes the option 'value', which is for both states",
      "Operator.remove (@OnDelete): option 'labels' must be an object of strings, PRESENT, ABSENT, or functions",
      expect.stringMatching(/^Operator.spy \(@OnEvent\): /),
    ]);
  });

  it('should fail the start for handlers of transient classes, as it is not known which instance to call', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient {
      @OnCreate(...KEX)
      create() {}
    }
    const error = (await bootstrap(Transient as never)) as KopfBootstrapError;
    expect(error.errors).toEqual([
      'Transient.create: Transient is transient, so it is not clear which instance to call; make it a singleton',
    ]);
  });

  it('should be reported at once for handlers that would never be called', () => {
    const sign = Symbol('sign');
    const what = 'handlers must be methods with names, neither static ones nor accessors';
    const define = (target: object, key: string | symbol) => () =>
      OnCreate(...KEX)(target, key, Object.getOwnPropertyDescriptor(target, key)!);
    class Operator {
      static start() {}
      get accessor() {
        return () => undefined;
      }
      [sign]() {}
    }
    expect(define(Operator, 'start')).toThrow(`Operator.start (@OnCreate): ${what}`);
    expect(define(Operator.prototype, 'accessor')).toThrow(`Operator.accessor (@OnCreate): ${what}`);
    expect(define(Operator.prototype, 'property')).toThrow(`Operator.property (@OnCreate): ${what}`);
    expect(define(Operator.prototype, sign)).toThrow(`Operator.Symbol(sign) (@OnCreate): ${what}`);
  });

  it('should fail the start with all bad settings at once', async () => {
    const harness = await OperatorHarness.start();
    const options = {
      nonsense: 1,
      namespaces: [],
      queueing: { workerLimit: 0, errorDelays: [-1] },
      posting: { level: 'loud', nonsense: true },
      execution: 7,
    };
    const error = await harness.run(creating(new Calls()), options as never).catch((thrown: Error) => thrown.message);
    for (const name of [
      'nonsense does not exist',
      'namespaces must be',
      'queueing.workerLimit',
      'each value in queueing.errorDelays',
      'posting.level',
      'posting.nonsense does not exist',
      'execution must be an object',
    ]) {
      expect(error).toContain(name);
    }
  });
});
