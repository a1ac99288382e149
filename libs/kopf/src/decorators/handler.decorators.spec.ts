import { applyDecorators } from '@nestjs/common';
import type {
  ActivityContext,
  AdmissionContext,
  BodyContext,
  ChangeContext,
  DaemonContext,
  EventContext,
  FieldContext,
  IndexContext,
  InvocationContext,
  LoginContext,
  TimerContext,
} from '../contexts/contexts.interface.js';
import type { ObjectContext } from '../contexts/filter-contexts.interface.js';
import type { IndexOf, ReadonlyIndex } from '../contexts/indices.interface.js';
import type { ObjectDiff } from '../objects/diffs.js';
import type { KubeObject } from '../objects/kube-object.js';
import { OnCleanup, OnLogin, OnProbe, OnStartup } from './activity.decorators.js';
import { Mutate, Validate } from './admission.decorators.js';
import { OnCreate, OnDelete, OnField, OnResume, OnUpdate } from './change.decorators.js';
import { HANDLERS_METADATA } from './handler.metadata.js';
import { Daemon, Index, OnEvent, Timer } from './object.decorators.js';

// The compiler checks this file: each `@ts-expect-error` is an error if the line after it has none.

interface ClaimSpec {
  readonly size: string;
  readonly limits?: { readonly cpu: number };
  readonly disks: readonly string[];
}

interface ClaimStatus {
  phase: 'Pending' | 'Ready';
  conditions: { type: string }[];
}

describe('The decorators of handlers', () => {
  it('should compile on methods that take their context, with the types of the object or without', () => {
    class Operator {
      @OnStartup()
      @OnCleanup()
      @OnProbe()
      activity(_context: ActivityContext) {}
      @OnLogin()
      login(_context: LoginContext) {}
      @OnCreate('pods')
      @OnUpdate('pods', { retries: 1 })
      @OnDelete('v1', 'pods', { optional: true })
      @OnResume('', 'v1', 'pods')
      @OnField({ category: 'all' }, { field: 'spec' })
      change(_context: ChangeContext<ClaimSpec, ClaimStatus, Map<string, number>>) {}
      @OnUpdate('pods', { field: 'spec.size' })
      field(_context: FieldContext<string, ClaimSpec>) {}
      @OnEvent('pods')
      event({ type: _type }: EventContext<ClaimSpec>) {}
      @Daemon('pods')
      daemon(_context: DaemonContext<ClaimSpec, ClaimStatus>) {}
      @Timer('pods', { interval: 1 })
      timer(_context: TimerContext<ClaimSpec>) {}
      @Index('pods')
      index(_context: IndexContext<ClaimSpec>) {}
      @Validate('pods')
      @Mutate('pods')
      admission(_context: AdmissionContext<ClaimSpec>) {}
    }
    expect(Reflect.getMetadata(HANDLERS_METADATA, Operator.prototype.change)).toHaveLength(5);
  });

  it('should not compile on methods that take the context of other handlers', () => {
    class Operator {
      // @ts-expect-error: handlers of changes have no `stopped`.
      @OnCreate('pods')
      daemonIsNoChange(_context: DaemonContext) {}
      // @ts-expect-error: neither have handlers of deletions.
      @OnDelete('pods', { optional: true })
      timerIsNoDeletion({ stopped: _stopped }: TimerContext<ClaimSpec>) {}
      // @ts-expect-error: events have no `diff`.
      @OnEvent('pods')
      changeIsNoEvent(_context: ChangeContext) {}
      // @ts-expect-error: daemons have no `reason`.
      @Daemon('pods')
      changeIsNoDaemon(_context: ChangeContext<ClaimSpec>) {}
      // @ts-expect-error: only reviews have an `operation`.
      @Timer('pods')
      reviewIsNoTimer(_context: AdmissionContext) {}
      // @ts-expect-error: reviews post no events.
      @Validate('pods')
      eventIsNoReview(_context: EventContext) {}
      // @ts-expect-error: a `patch` of indices would not be sent.
      @Index('pods')
      changeIsNoIndex(_context: ChangeContext) {}
      // @ts-expect-error: activities have no object.
      @OnStartup()
      objectIsNoActivity(_context: ObjectContext) {}
      // @ts-expect-error: only login handlers can read kubeconfigs.
      @OnProbe()
      loginIsNoProbe(_context: LoginContext) {}
      // @ts-expect-error: this context lacks a part of another context.
      @OnCreate('pods')
      partOfAnother(_context: Pick<DaemonContext, 'stopped'>) {}
    }
    expect(Operator).toBeDefined();
  });

  it('should compile on methods that take a wider context, or nothing', () => {
    class Operator {
      @OnCreate('pods')
      @Daemon('pods')
      @OnEvent('pods')
      @Validate('pods')
      object({ name: _name }: ObjectContext<ClaimSpec>) {}
      @OnCreate('pods')
      @OnStartup()
      invocation(_context: InvocationContext) {}
      @Index('pods')
      @OnUpdate('pods')
      part({ name: _name }: { readonly name: string }) {}
      @Timer('pods')
      daemon(_context?: DaemonContext) {}
      @OnCreate('pods')
      nothing() {}
      @Daemon('pods')
      async anything(_context: unknown, ..._rest: unknown[]) {}
    }
    expect(Operator).toBeDefined();
  });

  it('should stack on methods that take the union of their contexts, or what they have in common', () => {
    class Operator {
      @OnCreate('pods')
      @Daemon('pods')
      union(context: ChangeContext<ClaimSpec> | DaemonContext<ClaimSpec>) {
        return context.spec.size;
      }
      // @ts-expect-error: it is not called with events, which are no part of the union.
      @OnEvent('pods')
      @OnCreate('pods')
      @Daemon('pods')
      lacking(_context: ChangeContext | DaemonContext) {}
    }
    expect(Operator).toBeDefined();
  });

  it('should compile on methods whose parameters have decorators', () => {
    class Operator {
      @OnCreate('pods')
      one(_spec: ClaimSpec) {}
      @OnCreate('pods')
      primitive(_name: string) {}
      @Daemon('pods')
      several(_spec: ClaimSpec, _name: string, _labels: Record<string, string>) {}
      @OnStartup()
      memo(_memo: Map<string, string>) {}
    }
    expect(Operator).toBeDefined();
  });

  it('should be composed with others', () => {
    const OnAny = (resource: string) => applyDecorators(OnCreate(resource), OnUpdate(resource), Daemon(resource));
    class Operator {
      @OnAny('pods')
      any() {}
    }
    expect(Reflect.getMetadata(HANDLERS_METADATA, Operator.prototype.any)).toHaveLength(3);
  });

  it('should not compile with options that do not exist, or that are of another type', () => {
    class Operator {
      // @ts-expect-error: it is `timeout`.
      @OnCreate('pods', { timeot: 1 })
      misspelt() {}
      // @ts-expect-error: it is a number.
      @OnCreate('v1', 'pods', { retries: '1' })
      mistyped() {}
      // @ts-expect-error: only updates have it.
      @OnDelete('pods', { old: 1 })
      misplaced() {}
      // @ts-expect-error: it is required.
      @OnField('pods', {})
      missing() {}
    }
    expect(Operator).toBeDefined();
  });
});

describe('The contexts of handlers', () => {
  it('should give the patch the types of the spec and of the status', () => {
    const write = ({ patch }: ChangeContext<ClaimSpec, ClaimStatus>): void => {
      patch.status.phase = 'Ready';
      patch.status.conditions = [{ type: 'Ready' }];
      patch.spec.size = null;
      patch.spec.limits = { cpu: null };
      patch.metadata.labels.any = 'value';
      patch.transform((body) => expectTypeOf(body.spec).toEqualTypeOf<ClaimSpec | undefined>());
      // @ts-expect-error: it is no phase.
      patch.status.phase = 'Done';
      // @ts-expect-error: the status has no such field.
      patch.status.size = '1G';
      // @ts-expect-error: it is a number.
      patch.spec.limits = { cpu: '1' };
    };
    expectTypeOf(write).parameter(0).toExtend<ChangeContext>();
    expectTypeOf<DaemonContext<ClaimSpec, ClaimStatus>['patch']['status']['phase']>().toEqualTypeOf<
      'Pending' | 'Ready' | null | undefined
    >();
  });

  it('should give the essences before and after the type of the spec', () => {
    type Context = ChangeContext<ClaimSpec, ClaimStatus>;
    expectTypeOf<NonNullable<Context['old']>['spec']>().toEqualTypeOf<Readonly<ClaimSpec> | undefined>();
    expectTypeOf<Context['new']['spec']>().toEqualTypeOf<Readonly<ClaimSpec> | undefined>();
    expectTypeOf<Extract<Context['old'], undefined>>().toEqualTypeOf<undefined>();
    // @ts-expect-error: the essence has no status.
    expectTypeOf<Context['new']['status']>().toBeAny();
    expectTypeOf<AdmissionContext<ClaimSpec>['old']>().toEqualTypeOf<Readonly<KubeObject<ClaimSpec>> | undefined>();
  });

  it('should give the differences the types of what can differ', () => {
    type Item = ChangeContext<ClaimSpec>['diff'][number];
    expectTypeOf<string>().toExtend<Item[2]>();
    expectTypeOf<null>().toExtend<Item[3]>();
    expectTypeOf<readonly string[]>().toExtend<Item[2]>();
    expectTypeOf<number>().toExtend<Item[3]>();
    expectTypeOf<boolean>().not.toExtend<Item[2]>();
    expectTypeOf<FieldContext<string>['diff']>().toEqualTypeOf<ObjectDiff<string>>();
    expectTypeOf<ObjectDiff<string>[number][2]>().toEqualTypeOf<string | null>();
  });

  it('should be of the field for handlers that have one', () => {
    type Context = FieldContext<number, ClaimSpec, ClaimStatus>;
    expectTypeOf<Context['old']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Context['new']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Context['spec']>().toEqualTypeOf<Readonly<ClaimSpec>>();
  });

  it('should have the body of objects without a spec', () => {
    interface Data {
      data?: Record<string, string>;
    }
    type Context = BodyContext<ChangeContext, Data>;
    expectTypeOf<Context['body']['data']>().toEqualTypeOf<Record<string, string> | undefined>();
    expectTypeOf<NonNullable<Context['old']>['data']>().toEqualTypeOf<Record<string, string> | undefined>();
    expectTypeOf<Context['body']['metadata']['name']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<'spec' extends keyof Context ? true : false>().toEqualTypeOf<false>();
    class Operator {
      @OnCreate('configmaps')
      @OnUpdate('v1', 'configmaps')
      change(_context: BodyContext<ChangeContext, Data>) {}
      @Daemon('secrets')
      daemon(_context: BodyContext<DaemonContext, Data>) {}
      @OnEvent('events')
      event(_context: BodyContext<EventContext, { reason: string }>) {}
      @Index('secrets')
      index(_context: BodyContext<IndexContext, Data>) {}
      @Validate('secrets')
      review(_context: BodyContext<AdmissionContext, Data>) {}
      // @ts-expect-error: events have no `diff`.
      @OnEvent('configmaps')
      wrong(_context: BodyContext<ChangeContext, Data>) {}
    }
    expect(Operator).toBeDefined();
  });

  it('should have labels and annotations in the metadata', () => {
    expectTypeOf<ChangeContext['meta']['labels']>().toEqualTypeOf<Record<string, string>>();
    expectTypeOf<DaemonContext['meta']['annotations']>().toEqualTypeOf<Record<string, string>>();
  });

  it('should know the indices by what their methods return', () => {
    class Operator {
      map(_context: IndexContext): Map<string, number> | undefined {
        return undefined;
      }
      object({ name }: IndexContext) {
        return name ? { [name]: 1 } : null;
      }
      value({ name }: IndexContext) {
        return name;
      }
      list() {
        return [1];
      }
      anything({ spec }: IndexContext) {
        return spec.node;
      }
    }
    expectTypeOf<IndexOf<Operator['map']>>().toEqualTypeOf<ReadonlyIndex<string, number>>();
    expectTypeOf<IndexOf<Operator['object']>>().toEqualTypeOf<ReadonlyIndex<string, number>>();
    expectTypeOf<IndexOf<Operator['value']>>().toEqualTypeOf<ReadonlyIndex<null, string>>();
    expectTypeOf<IndexOf<Operator['list']>>().toEqualTypeOf<ReadonlyIndex<null, number[]>>();
    expectTypeOf<IndexOf<Operator['anything']>>().toEqualTypeOf<ReadonlyIndex>();
    expectTypeOf<ChangeContext['indices']['any']>().toEqualTypeOf<ReadonlyIndex>();
  });

  it('should be of any types without those of the object', () => {
    expectTypeOf<ChangeContext['old']>().toBeAny();
    expectTypeOf<ChangeContext['new']>().toBeAny();
    expectTypeOf<ChangeContext['patch']['spec']>().toEqualTypeOf<Record<string, any>>();
    expectTypeOf<ChangeContext['diff'][number][2]>().toBeAny();
    expectTypeOf<ChangeContext>().toExtend<ChangeContext<ClaimSpec, ClaimStatus>>();
    expectTypeOf<ChangeContext<ClaimSpec, ClaimStatus>>().toExtend<ChangeContext>();
    expectTypeOf<ChangeContext<ClaimSpec, ClaimStatus>>().toExtend<ObjectContext<{ readonly size: string }>>();
    expectTypeOf<FieldContext<string, ClaimSpec>>().toExtend<ChangeContext>();
  });
});
