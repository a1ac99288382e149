import {
  Catch,
  Controller,
  ForbiddenException,
  Get,
  HttpException,
  Inject,
  Injectable,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import {
  Daemon,
  Index,
  KOPF_CONTEXT,
  KopfIndices,
  OnCleanup,
  OnCreate,
  OnEvent,
  OnStartup,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type DaemonContext,
} from 'nestjs-kopf';
import { map, of, tap } from 'rxjs';
import { Calls } from '../../support/operators/calls.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { ServedOperator } from '../../support/operators/served.operator.js';

/** A call of a guard, an interceptor, or a filter. */
interface Told {
  readonly type: string;
  readonly handler: string;
  readonly class: string;
  readonly name: string | undefined;
}

function tell(context: ExecutionContext): Told {
  const [{ name }] = context.getArgs<[ChangeContext]>();
  return { type: context.getType(), handler: context.getHandler().name, class: context.getClass().name, name };
}

describe('Guards, interceptors, and filters', () => {
  let harness: OperatorHarness;
  let calls: Calls;
  let told: Told[];

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    calls = new Calls();
    told = [];
  });

  async function handle(operator: new () => object, ...providers: any[]): Promise<void> {
    await harness.run([operator, ...providers]);
    await harness.create('a');
    await harness.advance(1);
  }

  const statusOf = async (name = 'a') => (await harness.object(name)).status;

  it('should be told that it is a handler, which one, and what it gets', async () => {
    class Telling implements CanActivate, NestInterceptor {
      canActivate(context: ExecutionContext) {
        return told.push(tell(context)) > 0;
      }
      intercept(context: ExecutionContext, next: CallHandler) {
        told.push(tell(context));
        return next.handle();
      }
    }
    @UseGuards(Telling)
    @UseInterceptors(Telling)
    class Operator {
      @OnCreate(...KEX)
      create() {
        return 'made';
      }
    }
    await handle(Operator);
    const expected = { type: 'kopf', handler: 'create', class: 'Operator', name: 'a' };
    expect(told).toEqual([expected, expected]);
    expect(await statusOf()).toEqual({ create: 'made' });
  });

  describe('guards', () => {
    it('should make the handler fail if they refuse, and be asked again with its next attempt', async () => {
      let isOpen = false;
      @UseGuards({ canActivate: () => isOpen })
      class Operator {
        @OnCreate(...KEX, { backoff: 10 })
        create(context: ChangeContext) {
          calls.add('create', context);
        }
      }
      await handle(Operator);
      expect(calls.all).toEqual([]);
      const error = harness.logger.lines.find(({ level }) => level === 'error');
      expect(error?.message).toContain("Handler 'create' failed with an exception and will try again in 10 seconds");
      expect(error?.error).toBeInstanceOf(ForbiddenException);
      isOpen = true;
      await harness.advance(11);
      expect(calls.all).toEqual([{ id: 'create', name: 'a', reason: 'create', retry: 1 }]);
    });

    it('should decide how it fails by what they throw', async () => {
      const guard = (error: Error): CanActivate => ({
        canActivate() {
          throw error;
        },
      });
      class Operator {
        @UseGuards(guard(new PermanentError('never')))
        @OnCreate(...KEX)
        never(context: ChangeContext) {
          calls.add('never', context);
        }
        @UseGuards(guard(new TemporaryError('later', { delay: 30 })))
        @OnCreate(...KEX)
        later(context: ChangeContext) {
          calls.add('later', context);
        }
      }
      await handle(Operator);
      await harness.advance(31);
      expect(calls.all).toEqual([]);
      const errors = harness.logger.messages('error');
      expect(errors.filter((line) => line.includes("'never' failed permanently: never"))).toHaveLength(1);
      expect(errors.filter((line) => line.includes("'later' failed temporarily: later"))).toHaveLength(2);
    });

    it('should refuse methods one by one, or all of the class', async () => {
      class OfOperator implements CanActivate {
        canActivate(context: ExecutionContext) {
          return context.getHandler().name !== 'second';
        }
      }
      @UseGuards(OfOperator)
      class Operator {
        @OnCreate(...KEX)
        first(context: ChangeContext) {
          calls.add('first', context);
        }
        @OnCreate(...KEX, { errors: 'permanent' })
        second(context: ChangeContext) {
          calls.add('second', context);
        }
        @UseGuards({ canActivate: () => false })
        @OnCreate(...KEX, { errors: 'permanent' })
        third(context: ChangeContext) {
          calls.add('third', context);
        }
      }
      await handle(Operator);
      expect(calls.ids).toEqual(['first']);
    });

    it('should have what they need injected', async () => {
      @Injectable()
      class Permissions {
        readonly asked: string[] = [];
      }
      @Injectable()
      class Asking implements CanActivate {
        constructor(private readonly permissions: Permissions) {}

        canActivate(context: ExecutionContext) {
          this.permissions.asked.push(tell(context).name!);
          return true;
        }
      }
      @UseGuards(Asking)
      class Operator {
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
        }
      }
      await handle(Operator, Permissions);
      expect([calls.ids, harness.get(Permissions).asked]).toEqual([['create'], ['a']]);
    });

    it('should guard the handlers of controllers, too, and their routes', async () => {
      @Injectable()
      class Door {
        isOpen = false;
      }
      @Injectable()
      class Guard implements CanActivate {
        constructor(private readonly door: Door) {}

        canActivate(context: ExecutionContext) {
          told.push({ ...tell(context), name: undefined });
          return this.door.isOpen;
        }
      }
      @UseGuards(Guard)
      @Controller('things')
      class Things {
        @Get()
        list() {
          return calls.ids;
        }
        @OnCreate(...KEX, { backoff: 10 })
        create(context: ChangeContext) {
          calls.add('create', context);
        }
      }
      const door = new Door();
      const served = await ServedOperator.start(harness, {
        platform: 'Express',
        handlers: [{ provide: Door, useValue: door }],
        controllers: [Things],
      });
      await served.ready();
      await harness.create('a');
      await harness.advance(1);
      expect([calls.ids, (await served.get('/things')).status]).toEqual([[], 403]);
      door.isOpen = true;
      await harness.advance(11);
      expect(await served.get('/things')).toEqual({ status: 200, body: ['create'] });
      expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['kopf', 'http']));
    });
  });

  describe('interceptors', () => {
    it('should change results, and be around the handler in their order', async () => {
      const order: string[] = [];
      const around = (name: string): NestInterceptor => ({
        intercept(_context, next) {
          order.push(`before ${name}`);
          return next.handle().pipe(
            map((result) => `${name}(${result})`),
            tap(() => order.push(`after ${name}`)),
          );
        },
      });
      @UseInterceptors(around('outer'))
      class Operator {
        @UseInterceptors(around('inner'))
        @OnCreate(...KEX)
        create() {
          order.push('handler');
          return 'made';
        }
      }
      await handle(Operator);
      expect(order).toEqual(['before outer', 'before inner', 'handler', 'after inner', 'after outer']);
      expect(await statusOf()).toEqual({ create: 'outer(inner(made))' });
    });

    it('should be able to answer for the handler, and to see its errors', async () => {
      const seen: unknown[] = [];
      class Operator {
        @UseInterceptors({ intercept: () => of('cached') })
        @OnCreate(...KEX)
        answered(context: ChangeContext) {
          calls.add('answered', context);
        }
        @UseInterceptors({
          intercept: (_context, next) => next.handle().pipe(tap({ error: (error) => seen.push(error) })),
        })
        @OnCreate(...KEX)
        failing() {
          throw new PermanentError('no way');
        }
      }
      await handle(Operator);
      expect(calls.ids).toEqual([]);
      expect(await statusOf()).toMatchObject({ answered: 'cached' });
      expect(seen).toEqual([new PermanentError('no way')]);
      expect(harness.logger.messages('error')).toContainEqual(expect.stringContaining('failed permanently: no way'));
    });

    it('should be around handlers of all kinds', async () => {
      class Noting implements NestInterceptor {
        intercept(context: ExecutionContext, next: CallHandler) {
          told.push(tell(context));
          return next.handle();
        }
      }
      @UseInterceptors(Noting)
      class Operator {
        @OnStartup()
        begin() {}
        @Index(...KEX)
        names({ name }: { name: string }) {
          return new Map([[name, true]]);
        }
        @OnEvent(...KEX, { labels: { app: 'no' } })
        unmatched() {}
        @OnEvent(...KEX)
        event() {}
        @Daemon(...KEX)
        async daemon({ stopped }: DaemonContext) {
          await stopped.wait();
        }
        @OnCleanup()
        end() {}
      }
      await handle(Operator);
      expect([...harness.get(KopfIndices).get('names').keys()]).toEqual(['a']);
      await harness.stop();
      expect([...new Set(told.map(({ handler }) => handler))]).toEqual(['begin', 'names', 'event', 'daemon', 'end']);
      expect(told.every(({ type }) => type === 'kopf')).toBe(true);
    });
  });

  describe('filters', () => {
    it('should turn errors into others, and into results', async () => {
      @Catch(RangeError)
      class Translator implements ExceptionFilter {
        catch(error: RangeError, host: ArgumentsHost): never {
          told.push({ type: host.getType(), handler: '', class: '', name: host.getArgByIndex(0).name });
          throw new PermanentError(`translated: ${error.message}`);
        }
      }
      class Operator {
        @UseFilters(Translator)
        @OnCreate(...KEX)
        translated() {
          throw new RangeError('too much');
        }
        @UseFilters({ catch: () => 'instead' })
        @OnCreate(...KEX)
        replaced() {
          throw new Error('whatever');
        }
        @UseFilters(Translator)
        @OnCreate(...KEX)
        uncaught() {
          throw new TemporaryError('not for the filter', { delay: 3600 });
        }
      }
      await handle(Operator);
      expect(told).toEqual([{ type: 'kopf', handler: '', class: '', name: 'a' }]);
      expect(await statusOf()).toMatchObject({ replaced: 'instead' });
      const errors = harness.logger.messages('error').join('\n');
      expect(errors).toContain("'translated' failed permanently: translated: too much");
      expect(errors).toContain("'uncaught' failed temporarily: not for the filter");
      expect(errors).not.toContain("'replaced' failed");
    });

    it('should let errors pass if they return nothing', async () => {
      const seen: Error[] = [];
      @UseFilters({ catch: (error: Error) => void seen.push(error) })
      class Operator {
        @OnCreate(...KEX)
        create() {
          throw new PermanentError('noted');
        }
      }
      await handle(Operator);
      expect(seen).toEqual([new PermanentError('noted')]);
      expect(harness.logger.messages('error')).toContainEqual(expect.stringContaining('failed permanently: noted'));
    });

    it('should see what guards refuse', async () => {
      @Catch(HttpException)
      class Final implements ExceptionFilter {
        catch(error: HttpException): never {
          throw new PermanentError(`${error.getStatus()}`);
        }
      }
      @UseGuards({ canActivate: () => false })
      @UseFilters(Final)
      class Operator {
        @OnCreate(...KEX)
        create(context: ChangeContext) {
          calls.add('create', context);
        }
      }
      await handle(Operator);
      await harness.advance(600);
      expect(calls.ids).toEqual([]);
      expect(harness.logger.messages('error')).toEqual([expect.stringContaining('failed permanently: 403')]);
    });
  });

  it('should not come from the application alone: those that are global are made for requests', async () => {
    class Global implements CanActivate, NestInterceptor, ExceptionFilter {
      canActivate(context: ExecutionContext): boolean {
        told.push(tell(context));
        return false;
      }
      intercept(context: ExecutionContext, next: CallHandler) {
        told.push(tell(context));
        return next.handle();
      }
      catch(): string {
        return 'caught';
      }
    }
    class Operator {
      @OnCreate(...KEX)
      create() {
        return 'made';
      }
    }
    const global = [APP_GUARD, APP_INTERCEPTOR, APP_FILTER].map((provide) => ({ provide, useClass: Global }));
    await handle(Operator, ...global);
    expect([told, await statusOf()]).toEqual([[], { create: 'made' }]);
  });

  it('should leave out the global ones also where a method has its own', async () => {
    class Operator {
      @UseGuards({ canActivate: () => true })
      @OnCreate(...KEX)
      create() {
        return 'made';
      }
    }
    await handle(Operator, { provide: APP_GUARD, useValue: { canActivate: () => false } });
    expect(await statusOf()).toEqual({ create: 'made' });
  });

  it('should make the class of the handler request-scoped if they are', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class OfRequests implements CanActivate {
      constructor(@Inject(KOPF_CONTEXT) private readonly context: ChangeContext) {}

      canActivate() {
        return this.context.name === 'a';
      }
    }
    @UseGuards(OfRequests)
    class Operator {
      @OnCreate(...KEX)
      create(context: ChangeContext) {
        calls.add('create', context);
      }
    }
    await harness.run(Operator);
    for (const name of ['a', 'b']) await harness.create(name);
    await harness.advance(1);
    expect(calls.all.map(({ name }) => name)).toEqual(['a']);
    expect(harness.logger.messages('error').join()).toContain('[ns/b]');
  });
});
