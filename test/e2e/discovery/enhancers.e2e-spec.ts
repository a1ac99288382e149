import {
  Catch,
  Injectable,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import {
  Daemon,
  Index,
  KopfBootstrapError,
  Mutate,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnProbe,
  OnResume,
  OnStartup,
  OnUpdate,
  PermanentError,
  Timer,
  Validate,
  type InvocationContext,
  type KopfModuleOptions,
} from 'nestjs-kopf';
import { HandlerContext } from 'nestjs-kopf/parameters';
import { KopfProbes } from '../../../libs/kopf/src/health/kopf.probes.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { provideProbes } from '../../support/operators/probes.js';

const LEVELS = ['global', 'class', 'method'] as const;
type Level = (typeof LEVELS)[number];

/** The errors that the filters of the levels catch. */
class GlobalError extends PermanentError {}
class ClassError extends PermanentError {}
class MethodError extends PermanentError {}

const ERRORS = { global: GlobalError, class: ClassError, method: MethodError };

/** The enhancers of one level, which record their calls. */
function enhancersOf(level: Level, notes: Set<string>) {
  const note = (kind: string, host: { getType(): string }): void =>
    void notes.add(`${kind} ${level} ${host.getType()}`);
  const guard: CanActivate = {
    canActivate(context: ExecutionContext) {
      note('guard', context);
      return true;
    },
  };
  const interceptor: NestInterceptor = {
    intercept(context: ExecutionContext, next: CallHandler) {
      note('interceptor', context);
      return next.handle();
    },
  };
  const pipe: PipeTransform = {
    transform(value: unknown) {
      note('pipe', { getType: () => 'kopf' });
      return value;
    },
  };
  @Catch(ERRORS[level])
  class Filter implements ExceptionFilter {
    catch(_error: unknown, host: { getType(): string }) {
      note('filter', host);
      return {};
    }
  }
  return { guard, interceptor, pipe, filter: new Filter() };
}

/** Lists all expected records: of each kind of enhancers at the given levels. */
function notesOf(levels: readonly Level[], kinds = ['guard', 'interceptor', 'pipe', 'filter']): string[] {
  return kinds.flatMap((kind) => levels.map((level) => `${kind} ${level} kopf`)).sort();
}

/** Creates an application of handlers of one kind, with enhancers at all levels; each of its methods throws an error for another level. */
function makeOperator(
  decorator: (id: string) => MethodDecorator,
  scope: Scope,
): { notes: Set<string>; providers: Provider[] } {
  const notes = new Set<string>();
  const [global, ofClass, ofMethod] = LEVELS.map((level) => enhancersOf(level, notes));
  const Handler =
    (level: Level): MethodDecorator =>
    (target, key, descriptor: PropertyDescriptor) => {
      UseGuards(ofMethod.guard)(target, key, descriptor);
      UseInterceptors(ofMethod.interceptor)(target, key, descriptor);
      UsePipes(ofMethod.pipe)(target, key, descriptor);
      UseFilters(ofMethod.filter)(target, key, descriptor);
      decorator(level)(target, key, descriptor);
    };
  @Injectable({ scope })
  @UseGuards(ofClass.guard)
  @UseInterceptors(ofClass.interceptor)
  @UsePipes(ofClass.pipe)
  @UseFilters(ofClass.filter)
  class Operator {
    @Handler('global')
    first(@HandlerContext() _context: InvocationContext) {
      throw new GlobalError('global');
    }
    @Handler('class')
    second(@HandlerContext() _context: InvocationContext) {
      throw new ClassError('class');
    }
    @Handler('method')
    third(@HandlerContext() _context: InvocationContext) {
      throw new MethodError('method');
    }
  }
  const globals = [
    { provide: APP_GUARD, useValue: global.guard },
    { provide: APP_INTERCEPTOR, useValue: global.interceptor },
    { provide: APP_PIPE, useValue: global.pipe },
    { provide: APP_FILTER, useValue: global.filter },
  ];
  return { notes, providers: [Operator, ...globals] };
}

const HANDLERS: readonly (readonly [string, (id: string) => MethodDecorator])[] = [
  ['@OnStartup', (id) => OnStartup({ id })],
  ['@OnCleanup', (id) => OnCleanup({ id })],
  ['@OnProbe', (id) => OnProbe({ id })],
  ['@OnCreate', (id) => OnCreate(...KEX, { id })],
  ['@OnUpdate', (id) => OnUpdate(...KEX, { id })],
  ['@OnDelete', (id) => OnDelete(...KEX, { id })],
  ['@OnResume', (id) => OnResume(...KEX, { id })],
  ['@OnField', (id) => OnField(...KEX, { id, field: 'spec' })],
  ['@OnEvent', (id) => OnEvent(...KEX, { id })],
  ['@Index', (id) => Index(...KEX, { id })],
  ['@Daemon', (id) => Daemon(...KEX, { id })],
  ['@Timer', (id) => Timer(...KEX, { id })],
  ['@Validate', (id) => Validate(...KEX, { id })],
  ['@Mutate', (id) => Mutate(...KEX, { id })],
];

const TABLE = HANDLERS.flatMap(([name, decorator]) => [
  [name, 'singleton', decorator, Scope.DEFAULT] as const,
  [name, 'request-scoped', decorator, Scope.REQUEST] as const,
]);

describe('Guards, interceptors, pipes, and filters', () => {
  /** Creates, changes, lists, reviews, and deletes an object, so that handlers of all kinds are called. */
  async function live(providers: Provider[], options: KopfModuleOptions): Promise<void> {
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer({ url: 'https://localhost' });
    await harness.create('old');
    const probes = provideProbes({ probeCacheTtl: 1, probeTimeout: 1 });
    await harness.run([...providers, ...probes], { ...options, admission: { server } });
    await harness.get(KopfProbes).check();
    await harness.create('a');
    await harness.advance(5);
    await harness.patch('a', { spec: { field: 'v2' } });
    await harness.advance(5);
    // Only an operator with handlers of reviews serves webhooks.
    for (const id of server.context ? LEVELS : []) await server.review(makeReview(makeExample({})), { webhook: id });
    await harness.delete('a');
    await harness.advance(5);
    await harness.stop();
    await harness.run(providers, {
      ...options,
      admission: { server: new StubAdmissionServer({ url: 'https://localhost' }) },
    });
    await harness.advance(5);
  }

  it.each(TABLE)('should be around %s of a %s class at all levels', async (_name, _scope, decorator, scope) => {
    const { notes, providers } = makeOperator(decorator, scope);
    await live(providers, { globalEnhancers: true });
    expect([...notes].sort()).toEqual(notesOf(LEVELS));
  });

  it.each<[KopfModuleOptions['globalEnhancers'], string[]]>([
    [undefined, []],
    [false, []],
    [[], []],
    [['guards'], ['guard']],
    [
      ['interceptors', 'pipes'],
      ['interceptor', 'pipe'],
    ],
    [['filters'], ['filter']],
  ])('should be global ones if the option is %j', async (globalEnhancers, kinds) => {
    const { notes, providers } = makeOperator((id) => OnCreate(...KEX, { id }), Scope.DEFAULT);
    await live(providers, { globalEnhancers });
    expect([...notes].sort()).toEqual([...notesOf(['class', 'method']), ...notesOf(['global'], kinds)].sort());
  });

  it('should fail the start if a global one for handlers is request-scoped, rather than be left out', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class OfRequests implements CanActivate {
      canActivate() {
        return false;
      }
    }
    class Operator {
      @OnCreate(...KEX)
      create() {}
    }
    const harness = await OperatorHarness.start();
    const starting = harness.run([Operator, { provide: APP_GUARD, useClass: OfRequests }], { globalEnhancers: true });
    const error = await starting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KopfBootstrapError);
    expect((error as Error).message).toContain(
      'globalEnhancers is for the global guards, but one of them is request-scoped',
    );
  });
});
