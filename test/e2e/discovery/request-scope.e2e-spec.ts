import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Scope,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ContextIdFactory, REQUEST, type ContextId, type HostComponentInfo } from '@nestjs/core';
import {
  Daemon,
  KOPF_CONTEXT,
  OnCreate,
  OnStartup,
  type ActivityContext,
  type ChangeContext,
  type DaemonContext,
  type ObjectContext,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { ServedOperator } from '../../support/operators/served.operator.js';

describe('Request-scoped handlers', () => {
  let harness: OperatorHarness;
  let seen: unknown[];

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    seen = [];
  });

  const create = async (...names: string[]): Promise<void> => {
    for (const name of names) await harness.create(name);
    await harness.advance(1);
  };

  it('should be methods of an instance for each invocation, with its context injected', async () => {
    let instances = 0;
    @Injectable({ scope: Scope.REQUEST })
    class Tracer {
      constructor(@Inject(KOPF_CONTEXT) readonly context: ObjectContext) {}
    }
    @Injectable()
    class Operator {
      readonly number = ++instances;

      constructor(
        private readonly tracer: Tracer,
        @Inject(REQUEST) private readonly request: unknown,
      ) {}

      @OnCreate(...KEX)
      create(context: ChangeContext) {
        seen.push([this.number, this.tracer.context === context, this.request === context, context.name]);
        return 'made';
      }
    }
    await harness.run([Operator, Tracer]);
    await create('a', 'b');
    expect(seen).toEqual([
      [1, true, true, 'a'],
      [2, true, true, 'b'],
    ]);
    expect((await harness.object('a')).status).toEqual({ create: 'made' });
  });

  it('should be of another instance with each attempt, and fail as the construction of the instance does', async () => {
    let instances = 0;
    @Injectable({ scope: Scope.REQUEST })
    class Operator {
      constructor() {
        if (++instances === 1) throw new Error('no instance');
      }
      @OnCreate(...KEX, { backoff: 10 })
      create({ retry }: ChangeContext) {
        seen.push([instances, retry]);
      }
    }
    await harness.run(Operator);
    await create('a');
    expect(harness.logger.messages('error').join()).toContain('will try again in 10 seconds: no instance');
    await harness.advance(11);
    expect(seen).toEqual([[2, 1]]);
  });

  it('should be of one instance together with their sub-handlers', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Operator {
      constructor(@Inject(KOPF_CONTEXT) private readonly context: ChangeContext) {}

      @OnCreate(...KEX)
      async create({ subhandler, execute }: ChangeContext) {
        await execute({ now: this.child });
        subhandler('later', this.child);
      }
      child(this: Operator, { name }: ChangeContext) {
        seen.push([this.context.name, name]);
      }
    }
    await harness.run(Operator);
    await create('a');
    expect(seen).toEqual([
      ['a', 'a'],
      ['a', 'a'],
    ]);
  });

  it('should have activities and daemons among them', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Operator {
      constructor(@Inject(KOPF_CONTEXT) private readonly context: ActivityContext | DaemonContext) {}

      @OnStartup()
      begin(context: ActivityContext) {
        seen.push(context === this.context);
      }
      @Daemon(...KEX)
      async daemon(context: DaemonContext) {
        seen.push(context === this.context);
        await context.stopped.wait();
      }
    }
    await harness.run(Operator);
    await create('a');
    expect(seen).toEqual([true, true]);
  });

  it('should be on controllers, whose requests have no context of a handler', async () => {
    @Controller({ path: 'things', scope: Scope.REQUEST })
    class Things {
      constructor(@Inject(KOPF_CONTEXT) private readonly context?: ChangeContext) {}

      @Get()
      list() {
        return [this.context ?? 'no context', seen];
      }
      @OnCreate(...KEX)
      create() {
        seen.push(this.context?.name);
      }
    }
    const served = await ServedOperator.start(harness, { platform: 'Express', handlers: [], controllers: [Things] });
    await served.ready();
    await create('a');
    expect((await served.get('/things')).body).toEqual(['no context', ['a']]);
  });

  it('should be of one instance for each durable tree', async () => {
    const trees = new Map<string, ContextId>();
    const strategy = {
      attach(contextId: ContextId, { namespace = '' }: { readonly namespace?: string }) {
        const tree = trees.get(namespace) ?? { id: Math.random() };
        trees.set(namespace, tree);
        return {
          resolve: ({ isTreeDurable }: HostComponentInfo) => (isTreeDurable ? tree : contextId),
          payload: { tenant: namespace },
        };
      },
    };
    const { strategy: before } = ContextIdFactory as unknown as { strategy: never };
    ContextIdFactory.apply(strategy);
    onTestFinished(() => ContextIdFactory.apply(before));
    let instances = 0;
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Operator {
      readonly number = ++instances;

      constructor(@Inject(REQUEST) private readonly payload: { readonly tenant: string }) {}

      @OnCreate(...KEX)
      create({ name }: ChangeContext) {
        seen.push([name, this.number, this.payload.tenant]);
      }
    }
    await harness.run(Operator);
    await create('a', 'b');
    await harness.create('c', { metadata: { namespace: 'other' }, spec: {} });
    await harness.advance(1);
    // Objects are handled concurrently, in any order.
    expect(seen.sort()).toEqual([
      ['a', 1, 'ns'],
      ['b', 1, 'ns'],
      ['c', 2, 'other'],
    ]);
  });
});

describe('The storage of an asynchronous context', () => {
  it('should reach from an interceptor into handlers, daemons, and sub-handlers', async () => {
    const harness = await OperatorHarness.start();
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    @Injectable()
    class Storing implements NestInterceptor {
      intercept(context: ExecutionContext, next: CallHandler) {
        return storage.run(`${context.getHandler().name} of ${context.getArgs()[0].name}`, () => next.handle());
      }
    }
    @UseInterceptors(Storing)
    class Operator {
      @OnCreate(...KEX)
      async create({ subhandler, execute }: ChangeContext) {
        seen.push(storage.getStore());
        await execute({ now: () => seen.push(['now', storage.getStore()]) });
        subhandler('later', async ({ subhandler: grandchild }) => {
          await Promise.resolve();
          seen.push(['later', storage.getStore()]);
          grandchild('last', () => seen.push(['last', storage.getStore()]));
        });
      }
      @Daemon(...KEX)
      async daemon({ stopped }: DaemonContext) {
        await stopped.wait(10);
        seen.push(storage.getStore());
      }
    }
    await harness.run([Operator, Storing]);
    await harness.create('a');
    await harness.advance(11);
    expect(seen).toEqual([
      'create of a',
      ['now', 'create of a'],
      ['later', 'create of a'],
      ['last', 'create of a'],
      'daemon of a',
    ]);
    expect(storage.getStore()).toBeUndefined();
  });
});
