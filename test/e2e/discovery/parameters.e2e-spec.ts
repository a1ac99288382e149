import {
  BadRequestException,
  Body,
  createParamDecorator,
  DefaultValuePipe,
  Injectable,
  ParseIntPipe,
  UsePipes,
  ValidationPipe,
  type ArgumentMetadata,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsString, Min, ValidateNested } from 'class-validator';
import {
  Daemon,
  Index,
  KopfBootstrapError,
  Mutate,
  OnChild,
  OnCleanup,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnLog,
  OnLogin,
  OnProbe,
  OnResume,
  OnStartup,
  OnUpdate,
  PermanentError,
  Timer,
  Validate,
  type ChangeContext,
  type KopfLogger,
  type KubeObject,
  type ObjectMeta,
  type Patch,
  type StopFlag,
} from 'nestjs-kopf';
import {
  Annotations,
  Diff,
  HandlerContext,
  HandlerLogger,
  IndexRef,
  KopfValidationPipe,
  Labels,
  Memo,
  Meta,
  Name,
  Namespace,
  New,
  ObjectBody,
  ObjectPatch,
  Old,
  Retry,
  Spec,
  Status,
  Stopped,
  Uid,
  type StandardSchema,
} from 'nestjs-kopf/parameters';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer, makeExample, makeReview } from '../../support/webhooks/reviews.js';

describe('Decorated parameters', () => {
  let harness: OperatorHarness;
  let seen: unknown[];

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    seen = [];
  });

  async function handle(operator: any, spec: object = { size: '10' }, ...providers: any[]): Promise<void> {
    await harness.run([operator, ...providers]);
    const annotations = { 'example.com/b.c': 'noted' };
    await harness.create('a', { metadata: { labels: { 'app.kubernetes.io/name': 'web' }, annotations }, spec });
    await harness.advance(1);
  }

  const errors = (): string => harness.logger.messages('error').join('\n');

  it('should be parts of the context', async () => {
    class Operator {
      @Index(...KEX)
      names(@Name() name: string) {
        return { [name]: true };
      }
      @OnCreate(...KEX)
      create(
        @Spec() spec: object,
        @Status() status: object,
        @Meta() meta: ObjectMeta,
        @ObjectBody() body: KubeObject,
        @Name() name: string,
        @Namespace() namespace: string | undefined,
        @Uid() uid: string,
        @Labels() labels: object,
        @Annotations() annotations: object,
        @ObjectPatch() patch: Patch,
        @Memo() memo: { seen?: boolean },
        @HandlerLogger() logger: KopfLogger,
        @Retry() retry: number,
        @IndexRef('names') names: Index<string, boolean>,
        @HandlerContext() context: ChangeContext,
      ) {
        seen.push({
          spec,
          status,
          name,
          namespace,
          labels,
          annotations,
          retry,
          kind: body.kind,
          keys: [...names.keys()],
        });
        seen.push([meta, uid, logger, memo]);
        expect([meta, uid, memo, logger]).toEqual([context.meta, context.uid, context.memo, context.logger]);
        patch.status.phase = 'Done';
        return 'made';
      }
      @OnUpdate(...KEX)
      update(@Diff() diff: Diff, @Old() old: KubeObject, @New('spec') spec: object) {
        seen.push([diff, old.spec, spec]);
      }
    }
    await handle(Operator);
    expect(seen[0]).toEqual({
      spec: { size: '10' },
      status: {},
      name: 'a',
      namespace: 'ns',
      labels: { 'app.kubernetes.io/name': 'web' },
      annotations: { 'example.com/b.c': 'noted' },
      retry: 0,
      kind: 'KopfExample',
      keys: ['a'],
    });
    expect((await harness.object('a')).status).toEqual({ create: 'made', phase: 'Done' });
    await harness.patch('a', { spec: { size: '11' } });
    await harness.advance(1);
    expect(seen[2]).toEqual([[['change', ['spec', 'size'], '10', '11']], { size: '10' }, { size: '11' }]);
  });

  it('should be fields of these parts, by paths or by names with dots', async () => {
    class Operator {
      @OnCreate(...KEX)
      create(
        @Spec('limits.cpu') cpu: number,
        @Spec(['limits', 'cpu']) same: number,
        @Spec('limits.none.at.all') none: undefined,
        @Meta('name') name: string,
        @ObjectBody('spec.limits') limits: object,
        @Labels('app.kubernetes.io/name') label: string,
        @Annotations('example.com/b.c') annotation: string,
      ) {
        seen.push(cpu, same, none, name, limits, label, annotation);
      }
    }
    await handle(Operator, { limits: { cpu: 2 } });
    expect(seen).toEqual([2, 2, undefined, 'a', { cpu: 2 }, 'web', 'noted']);
  });

  it('should be live in daemons, as the context is', async () => {
    class Operator {
      @Daemon(...KEX)
      async watch(@Spec() spec: { size: string }, @Stopped() stopped: StopFlag) {
        seen.push(spec.size);
        await stopped.wait(60);
        seen.push(spec.size);
      }
    }
    await handle(Operator);
    await harness.patch('a', { spec: { size: '11' } });
    await harness.advance(61);
    expect(seen).toEqual(['10', '11']);
  });

  it('should be decorated by what the application has made itself', async () => {
    const Generation = createParamDecorator((_data: unknown, host: ExecutionContext) => {
      seen.push(host.getType());
      return host.getArgByIndex<ChangeContext>(0).meta.generation;
    });
    class Operator {
      @OnCreate(...KEX)
      create(@Generation() generation: number) {
        seen.push(generation);
      }
    }
    await handle(Operator);
    expect(seen).toEqual(['kopf', 1]);
  });

  describe('with pipes', () => {
    @Injectable()
    class Prefix {
      readonly text = 'prefixed ';
    }
    @Injectable()
    class Prefixing implements PipeTransform {
      constructor(private readonly prefix: Prefix) {}

      transform(value: unknown, { data, type }: ArgumentMetadata) {
        seen.push([data, type]);
        return `${this.prefix.text}${String(value)}`;
      }
    }

    it('should be passed through them from left to right, classes with what they need injected', async () => {
      class Operator {
        @OnCreate(...KEX)
        create(
          @Spec('size', ParseIntPipe, Prefixing) size: string,
          @Spec('count', new DefaultValuePipe(1)) count: number,
          @Name(Prefixing) name: string,
        ) {
          seen.push([size, count, name]);
        }
      }
      await handle(Operator, { size: '10' }, Prefix);
      expect(seen).toEqual([
        ['name', 'custom'],
        ['spec.size', 'custom'],
        ['prefixed 10', 1, 'prefixed a'],
      ]);
    });

    it('should be passed through those of the class and of the method before', async () => {
      const adding = (text: string): PipeTransform => ({ transform: (value) => `${value}${text}` });
      @UsePipes(adding(' class'))
      class Operator {
        @UsePipes(adding(' method'))
        @OnCreate(...KEX)
        create(@Name(adding(' parameter')) name: string) {
          seen.push(name);
        }
      }
      await handle(Operator);
      expect(seen).toEqual(['a class method parameter']);
    });

    it.each<[string, PipeTransform, string]>([
      ['of Nest', new ParseIntPipe(), 'spec.size is rejected: Validation failed (numeric string is expected)'],
      [
        'that lists messages',
        { transform: () => Promise.reject(new BadRequestException(['must be short', 'must be a text'])) },
        'spec.size is rejected: must be short; must be a text',
      ],
    ])('should make the handler fail for good if a pipe rejects the object: one %s', async (_, pipe, message) => {
      class Operator {
        @OnCreate(...KEX)
        create(@Spec('size', pipe) size: unknown) {
          seen.push(size);
        }
      }
      await handle(Operator, { size: 'a secret' });
      await harness.advance(600);
      expect(seen).toEqual([]);
      expect(harness.logger.messages('error')).toEqual([`[ns/a] Handler 'create' failed permanently: ${message}`]);
    });

    it('should make the handler fail as the pipe says if it throws anything else', async () => {
      const failing = (error: Error): PipeTransform => ({
        transform() {
          throw error;
        },
      });
      class Operator {
        @OnCreate(...KEX, { backoff: 3600 })
        arbitrary(@Name(failing(new Error('the pipe is broken'))) _name: string) {}
        @OnCreate(...KEX)
        permanent(@Name(failing(new PermanentError('never'))) _name: string) {}
      }
      await handle(Operator);
      expect(errors()).toContain("'arbitrary' failed with an exception and will try again in 3600 seconds");
      expect(errors()).toContain("'permanent' failed permanently: never");
    });
  });

  describe('validated by class-validator', () => {
    class Disk {
      @IsString()
      name: string;
    }
    class ClaimSpec {
      @IsInt()
      @Min(1, { message: 'the size $value is too small' })
      size: number;

      @ValidateNested()
      @Type(() => Disk)
      disks: Disk[] = [];

      get total() {
        return this.size * this.disks.length;
      }
    }
    class Operator {
      @OnCreate(...KEX)
      create(@Spec(new KopfValidationPipe(ClaimSpec)) spec: ClaimSpec) {
        seen.push(spec);
      }
    }

    it('should be instances of their classes', async () => {
      await handle(Operator, { size: 2, disks: [{ name: 'one' }] });
      expect(seen).toEqual([expect.any(ClaimSpec)]);
      expect((seen[0] as ClaimSpec).total).toBe(2);
    });

    it('should make the handler fail for good with the paths of what is wrong, and no values', async () => {
      await handle(Operator, { size: -12345, disks: [{ name: 'one' }, { name: 67890 }] });
      expect(errors()).toBe(
        "[ns/a] Handler 'create' failed permanently: spec.size is not valid; spec.disks[1].name must be a string",
      );
    });

    it('should be taken by their types, also by a pipe of the method, where the compiler emits types', async () => {
      class Typed {
        @UsePipes(KopfValidationPipe)
        @OnCreate(...KEX)
        create(spec: ClaimSpec, memo: Map<string, string>, name: string) {
          seen.push(spec, memo, name);
        }
      }
      // The metadata that TypeScript emits with `emitDecoratorMetadata`, but test runners do not.
      Reflect.defineMetadata('design:paramtypes', [ClaimSpec, Map, String], Typed.prototype, 'create');
      [Spec(), Memo(), Name()].forEach((decorate, index) => decorate(Typed.prototype, 'create', index));
      await handle(Typed, { size: 2 });
      expect(seen).toEqual([expect.any(ClaimSpec), {}, 'a']);
    });

    it('should tell what to do where the type is not known', async () => {
      class Untyped {
        @OnCreate(...KEX)
        create(@Spec(KopfValidationPipe) spec: ClaimSpec) {
          seen.push(spec);
        }
      }
      Reflect.deleteMetadata('design:paramtypes', Untyped.prototype, 'create');
      await handle(Untyped, { size: 2 });
      expect(errors()).toContain('Give it the class: new KopfValidationPipe(ClaimSpec)');
    });

    it("should be validated by Nest's pipe, too, if it is for custom decorators", async () => {
      class Nests {
        @OnCreate(...KEX)
        create(@Spec(new ValidationPipe({ validateCustomDecorators: true, expectedType: Disk })) spec: Disk) {
          seen.push(spec);
        }
      }
      await handle(Nests, { name: 7 });
      expect(errors()).toContain("'create' failed permanently: spec is rejected: name must be a string");
    });
  });

  describe('validated by a Standard Schema', () => {
    /** Creates a schema in the forms of the libraries: some are functions, others have a `transform()` that is not that of a pipe. */
    function makeSchema(shape: object, validate: StandardSchema['~standard']['validate']): StandardSchema {
      return Object.assign(shape, { '~standard': { version: 1, vendor: 'test', validate } as const });
    }
    const toNumbers = ({ size }: any) => ({ value: { size: Number(size) } });

    it.each<[string, StandardSchema]>([
      ['a function', makeSchema(() => undefined, toNumbers as never)],
      ['an object with methods', makeSchema({ transform: () => 'of the library' }, toNumbers as never)],
      ['asynchronous', makeSchema({}, async (value) => toNumbers(value))],
    ])('should be what the schema makes of them: %s', async (_, schema) => {
      class Operator {
        @OnCreate(...KEX)
        create(@Spec(schema) spec: object, @Spec('size', ParseIntPipe) size: number) {
          seen.push(spec, size);
        }
      }
      await handle(Operator, { size: '10' });
      expect(seen).toEqual([{ size: 10 }, 10]);
    });

    it('should make the handler fail for good with the paths of what is wrong, and no values', async () => {
      const schema = makeSchema({}, () => ({
        issues: [
          { path: ['size'], message: 'Invalid input: expected number, received string' },
          { path: [{ key: 'disks' }, 0, 'name'], message: 'Expected a short text but received "a secret"' },
          { message: 'Unknown keys' },
        ],
      }));
      class Operator {
        @OnCreate(...KEX)
        create(@Spec(schema) spec: object) {
          seen.push(spec);
        }
      }
      await handle(Operator, { size: '10', disks: [{ name: 'a secret' }] });
      expect(errors()).toBe(
        "[ns/a] Handler 'create' failed permanently: spec.size: Invalid input: expected number, received string; " +
          'spec.disks[0].name is not valid; spec: Unknown keys',
      );
    });
  });

  it('should answer reviews with the code 422, and name what is wrong', async () => {
    class Operator {
      @Validate(...KEX)
      check(@Spec('size', ParseIntPipe) size: number) {
        seen.push(size);
      }
    }
    const server = new StubAdmissionServer({ url: 'https://localhost' });
    await harness.run(Operator, { admission: { server } });
    const review = async (spec: object) => (await server.review(makeReview(makeExample(spec)))).response;
    expect(await review({ size: '10' })).toMatchObject({ allowed: true });
    expect(await review({ size: 'big' })).toMatchObject({ allowed: false, status: { code: 422 } });
    expect(seen).toEqual([10]);
  });

  it('should fail the start if they have no value, or no decorator, or one for requests', async () => {
    class Operator {
      @Daemon(...KEX)
      monitor(@Diff() _diff: Diff, @Spec() _spec: object) {}
      @OnStartup()
      begin(@Name() _name: string) {}
      @OnCreate(...KEX)
      create(@Spec() _spec: object, _context: ChangeContext) {}
      @OnEvent(...KEX)
      event(@Body() _body: object) {}
      @OnCreate(...KEX, { id: 'stacked' })
      @Daemon(...KEX, { id: 'stacked' })
      stacked(@Diff() _diff: Diff | undefined, @Stopped() _stopped: StopFlag | undefined) {}
    }
    const error = await harness.run(Operator).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KopfBootstrapError);
    expect((error as KopfBootstrapError).errors).toEqual([
      'Operator.monitor: parameter 1 has @Diff(), which has no value in handlers of @Daemon; remove it',
      'Operator.begin: parameter 1 has @Name(), which has no value in handlers of @OnStartup; remove it',
      'Operator.create: parameter 2 has no decorator, while others have; @HandlerContext() gives it the context',
      'Operator.event: parameter 1 has a decorator for requests, such as @Body(); decorators of handlers are @ObjectBody(), @Spec(), …',
    ]);
  });

  it('should be decorated, or be the context, of whatever handler: a signature of Python fails the start', async () => {
    class Operator {
      @OnStartup()
      begin(settings: any) {
        return settings;
      }
      @OnCleanup()
      end(logger: any) {
        return logger;
      }
      @OnLogin()
      login(logger: any, settings: any) {
        return [logger, settings];
      }
      @OnProbe()
      probe(memo: any) {
        return memo;
      }
      @OnCreate(...KEX)
      create(spec: any, name: any) {
        return [spec, name];
      }
      @OnUpdate(...KEX)
      update(theOld: string) {
        return theOld;
      }
      @OnDelete(...KEX)
      delete(name: any, ...kwargs: any[]) {
        return [name, kwargs];
      }
      @OnResume(...KEX)
      resume(context: ChangeContext, name: any) {
        return [context, name];
      }
      @OnField(...KEX, { field: 'spec.field' })
      field(diff: any = []) {
        return diff;
      }
      @OnEvent(...KEX)
      event(event: any, body: any) {
        return [event, body];
      }
      @Daemon(...KEX)
      async daemon(stopped: any) {
        return stopped;
      }
      @Timer(...KEX, { interval: 1 })
      timer(patch?: any) {
        return patch;
      }
      @Index(...KEX)
      index(namespace: any, name: any) {
        return [namespace, name];
      }
      @OnChild('kopfexamples.kopf.dev', 'configmaps')
      child(meta: any) {
        return meta;
      }
      @OnLog('pods')
      log(name: any) {
        return name;
      }
      @Validate(...KEX)
      validate(operation: any) {
        return operation;
      }
      @Mutate(...KEX)
      mutate(spec: any, patch: any, warnings: any) {
        return [spec, patch, warnings];
      }
    }
    class Inheriting extends Operator {}
    const error = await harness.run(Inheriting).catch((thrown: unknown) => thrown);
    const errors = (error as KopfBootstrapError).errors;
    expect(errors.map((each) => each.split(':')[0])).toEqual(
      Object.getOwnPropertyNames(Operator.prototype)
        .filter((name) => name !== 'constructor')
        .map((name) => `Inheriting.${name}`),
    );
    for (const each of errors) expect(each).toContain('but a handler is called with one argument, its context.');
    expect(errors).toContain(
      'Inheriting.create: it takes 2 arguments, but a handler is called with one argument, its context. Take the parts out of it, ' +
        'create({ spec, name }), or give each parameter a decorator, create(@Spec() spec, @Name() name)',
    );
  });
});
