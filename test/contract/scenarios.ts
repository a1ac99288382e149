import { Injectable, type Type } from '@nestjs/common';
import {
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  type ChangeContext,
  type EventContext,
  type KopfModuleOptions,
  type TimerContext,
} from 'nestjs-kopf';
import {
  AnnotationsDiffBaseStorage,
  AnnotationsProgressStorage,
  StatusDiffBaseStorage,
  StatusProgressStorage,
} from 'nestjs-kopf/storages';

/** Records a call of a handler. */
export type Called = (id: string, context: Partial<ChangeContext>, extra?: Record<string, unknown>) => void;

/** The actions of the user, who creates, changes, and deletes the object, starts and stops the operator, and lets time pass. */
export interface User {
  /** Creates the object `a` with `spec.field = v1`, unless another spec is given. */
  create(extra?: Record<string, unknown>): Promise<void>;
  update(patch: Record<string, unknown>): Promise<void>;
  delete(): Promise<void>;
  /** Seconds. */
  wait(seconds: number): Promise<void>;
  /** Starts the operator, and waits until it watches. */
  start(): Promise<void>;
  /** Stops the operator as a shutdown does. */
  stop(): Promise<void>;
}

/** One scenario of `traces.json`, or one family of `families.json`, as it was run with Kopf. */
export interface Scenario {
  readonly name: string;
  readonly operator: (called: Called) => Type;
  readonly play: (user: User) => Promise<void>;
  readonly options?: Partial<KopfModuleOptions>;
  /** The number of requests that Kopf sent while it was being stopped: its sleeps go on for two seconds then, ours end. @default 0 */
  readonly writesWhileStopping?: number;
  /** The calls of this operator, as `id: reason`, where they differ from Kopf's on purpose. @default the same as Kopf */
  readonly differs?: readonly string[];
  /** Whether the clock decides how often handlers are called and patches are sent, so that repetitions are left out. @default false */
  readonly shapeOnly?: boolean;
}

const KEX = ['kopf.dev/v1', 'kopfexamples'] as const;

/** The operator of the first two scenarios. */
function basic(called: Called): Type {
  @Injectable()
  class Basic {
    @OnCreate(...KEX, { id: 'create_fn' })
    create(context: ChangeContext) {
      called('create_fn', context);
      return { msg: 'hi' };
    }
    @OnUpdate(...KEX, { id: 'update_fn' })
    update(context: ChangeContext) {
      called('update_fn', context, { diff: context.diff });
      return 'done';
    }
    @OnDelete(...KEX, { id: 'delete_fn' })
    delete(context: ChangeContext) {
      called('delete_fn', context);
    }
  }
  return Basic;
}

async function playBasic(user: User): Promise<void> {
  await user.create();
  await user.wait(1.5);
  await user.update({ spec: { field: 'v2' } });
  await user.wait(1.5);
  await user.delete();
  await user.wait(1.5);
}

const playCreate =
  (seconds: number) =>
  async (user: User): Promise<void> => {
    await user.create();
    await user.wait(seconds);
  };

async function playDeletion(user: User): Promise<void> {
  await user.create();
  await user.wait(1);
  await user.delete();
  await user.wait(1.5);
}

/** An operator with a temporary error for two attempts, as two scenarios have it. */
function temporary(called: Called): Type {
  @Injectable()
  class Temporary {
    @OnCreate(...KEX, { id: 'tmp' })
    create(context: ChangeContext) {
      called('tmp', context);
      if (context.retry < 2) throw new TemporaryError('wait', { delay: 1 });
      return { ok: true };
    }
  }
  return Temporary;
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'basic create-update-delete', operator: basic, play: playBasic },
  { name: 'same with status subresource', operator: basic, play: playBasic },
  {
    name: 'create without finalizer',
    operator: (called) => {
      class Creation {
        @OnCreate(...KEX, { id: 'create_fn' })
        create(context: ChangeContext) {
          called('create_fn', context);
        }
      }
      return Creation;
    },
    play: playCreate(2.5),
  },
  {
    name: 'permanent error plus good',
    operator: (called) => {
      class Mixed {
        @OnCreate(...KEX, { id: 'bad' })
        bad(context: ChangeContext) {
          called('bad', context);
          throw new PermanentError('no way');
        }
        @OnCreate(...KEX, { id: 'good' })
        good(context: ChangeContext) {
          called('good', context);
        }
      }
      return Mixed;
    },
    play: playCreate(2.5),
  },
  {
    name: 'sub-handlers',
    operator: (called) => {
      class Parent {
        @OnCreate(...KEX, { id: 'parent' })
        create(context: ChangeContext) {
          called('parent', context);
          context.subhandler('k1', (child) => {
            called('parent/k1', child);
            return 'r1';
          });
          context.subhandler('k2', (child) => called('parent/k2', child));
        }
      }
      return Parent;
    },
    play: playCreate(2.5),
  },
  {
    name: 'field handler',
    operator: (called) => {
      class Field {
        @OnField(...KEX, { id: 'fld', field: 'spec.field' })
        change(context: ChangeContext) {
          const { old = null, new: now = null, diff } = context;
          called('fld', context, { old, new: now, diff });
        }
      }
      return Field;
    },
    play: async (user) => {
      await user.create();
      await user.wait(1);
      await user.update({ spec: { field: 'v2' } });
      await user.wait(1);
      await user.update({ spec: { other: 1 } });
      await user.wait(1);
      await user.update({ spec: { field: null } });
      await user.wait(1);
    },
  },
  {
    name: 'user patch incl. status, no subresource',
    operator: (called) => {
      class Patching {
        @OnCreate(...KEX, { id: 'p' })
        create(context: ChangeContext) {
          called('p', context);
          context.patch.spec.added = 1;
          context.patch.status.s = 't';
          context.patch.metadata.annotations['my/anno'] = '1';
          return 'res';
        }
      }
      return Patching;
    },
    play: playCreate(2.5),
  },
  {
    name: 'permanent error in delete',
    operator: (called) => {
      class Deletion {
        @OnDelete(...KEX, { id: 'd' })
        delete(context: ChangeContext) {
          called('d', context);
          throw new PermanentError('cannot');
        }
      }
      return Deletion;
    },
    play: playDeletion,
  },
  {
    name: 'timer',
    operator: (called) => {
      class Ticking {
        @Timer(...KEX, { id: 't', interval: 1 })
        tick(context: TimerContext) {
          called('t', { retry: context.retry });
          return { n: 1 };
        }
      }
      return Ticking;
    },
    play: playDeletion,
    shapeOnly: true,
  },
  {
    name: 'on.event',
    operator: (called) => {
      class Events {
        @OnEvent(...KEX, { id: 'e' })
        seen(context: EventContext) {
          called('e', { retry: context.retry }, { type: context.type });
          return 'seen';
        }
      }
      return Events;
    },
    play: playBasic,
  },
  {
    name: 'update while creation is being retried',
    operator: (called) => {
      class Slow {
        @OnCreate(...KEX, { id: 'slow' })
        create(context: ChangeContext) {
          called('slow', context);
          throw new TemporaryError('not yet', { delay: 3 });
        }
        @OnUpdate(...KEX, { id: 'upd' })
        update(context: ChangeContext) {
          called('upd', context, { diff: context.diff });
        }
      }
      return Slow;
    },
    play: async (user) => {
      await user.create();
      await user.wait(1);
      await user.update({ spec: { field: 'v2' } });
      await user.wait(4);
    },
    writesWhileStopping: 1,
  },
  {
    name: 'update retried, same id resumes',
    operator: (called) => {
      class Both {
        @OnCreate(...KEX, { id: 'c' })
        create(context: ChangeContext) {
          called('c', context);
        }
        @OnUpdate(...KEX, { id: 'both' })
        @OnResume(...KEX, { id: 'both' })
        update(context: ChangeContext) {
          called('both', context);
          if (context.retry < 1) throw new TemporaryError('again', { delay: 1 });
          return { n: context.retry };
        }
      }
      return Both;
    },
    play: async (user) => {
      await user.create();
      await user.wait(1);
      await user.update({ spec: { field: 'v2' } });
      await user.wait(3);
    },
  },
  {
    name: 'deletion while creation is being retried',
    operator: (called) => {
      class Slow {
        @OnCreate(...KEX, { id: 'slow' })
        create(context: ChangeContext) {
          called('slow', context);
          throw new TemporaryError('not yet', { delay: 30 });
        }
        @OnDelete(...KEX, { id: 'bye' })
        delete(context: ChangeContext) {
          called('bye', context);
          return 'gone';
        }
      }
      return Slow;
    },
    play: playDeletion,
  },
  {
    name: 'nested sub-handlers, one fails',
    operator: (called) => {
      class Nested {
        @OnCreate(...KEX, { id: 'p' })
        create(context: ChangeContext) {
          called('p', context);
          context.subhandler('x', (x) => {
            called('p/x', x);
            x.subhandler('y', (y) => {
              called('p/x/y', y);
              if (y.retry < 1) throw new TemporaryError('sub wait', { delay: 0.5 });
              return 'ry';
            });
          });
          context.subhandler('z', (z) => {
            called('p/z', z);
            throw new PermanentError('z failed');
          });
        }
      }
      return Nested;
    },
    play: playCreate(6),
  },
  {
    name: 'retries limited to two',
    operator: (called) => {
      class Limited {
        @OnCreate(...KEX, { id: 'lim', retries: 2, backoff: 0.5 })
        create(context: ChangeContext) {
          called('lim', context);
          throw new Error('boom');
        }
      }
      return Limited;
    },
    play: playCreate(5),
  },
  {
    name: 'errors permanent and ignored',
    operator: (called) => {
      class Modes {
        @OnCreate(...KEX, { id: 'ep', errors: 'permanent' })
        permanent(context: ChangeContext) {
          called('ep', context);
          throw new Error('boom');
        }
        @OnCreate(...KEX, { id: 'ei', errors: 'ignored' })
        ignored(context: ChangeContext) {
          called('ei', context);
          throw new Error('never mind');
        }
      }
      return Modes;
    },
    play: playCreate(2.5),
  },
  {
    name: 'old, new and value filters',
    operator: (called) => {
      const note = (id: string, context: ChangeContext): void =>
        called(id, context, { old: context.old, new: context.new });
      class Filters {
        @OnUpdate(...KEX, { id: 'reach', field: 'spec.field', new: 'v3' })
        reach(context: ChangeContext) {
          note('reach', context);
        }
        @OnUpdate(...KEX, { id: 'lose', field: 'spec.field', old: 'v1' })
        lose(context: ChangeContext) {
          note('lose', context);
        }
        @OnUpdate(...KEX, { id: 'val', field: 'spec.field', value: 'v2' })
        value(context: ChangeContext) {
          note('val', context);
        }
      }
      return Filters;
    },
    play: async (user) => {
      await user.create();
      await user.wait(1);
      for (const field of ['v2', 'v3', 'v1']) {
        await user.update({ spec: { field } });
        await user.wait(1.2);
      }
    },
  },
  {
    name: 'stealth until a label comes, and after it goes',
    operator: (called) => {
      class Stealth {
        @OnCreate(...KEX, { id: 'c', labels: { on: 'yes' } })
        create(context: ChangeContext) {
          called('c', context);
        }
        @OnUpdate(...KEX, { id: 'u', labels: { on: 'yes' } })
        update(context: ChangeContext) {
          called('u', context);
        }
      }
      return Stealth;
    },
    play: async (user) => {
      await user.create();
      await user.wait(1);
      await user.update({ spec: { field: 'v2' } });
      await user.wait(1);
      await user.update({ metadata: { labels: { on: 'yes' } } });
      await user.wait(1.2);
      await user.update({ spec: { field: 'v3' } });
      await user.wait(1.2);
      await user.update({ metadata: { labels: { on: null } } });
      await user.wait(1.2);
      await user.update({ spec: { field: 'v4' } });
      await user.wait(1.2);
    },
  },
  {
    name: 'handler changes the spec itself',
    operator: (called) => {
      class SelfPatching {
        @OnCreate(...KEX, { id: 'c' })
        create(context: ChangeContext) {
          called('c', context);
          context.patch.spec.field = 'own';
        }
        @OnUpdate(...KEX, { id: 'u' })
        update(context: ChangeContext) {
          called('u', context, { diff: context.diff });
        }
      }
      return SelfPatching;
    },
    play: playCreate(2.5),
  },
  {
    name: 'long id with a slash',
    operator: (called) => {
      const id = 'a_very_long_handler_identifier_that_goes_far_beyond_the_limit_of_63/with.slash';
      class LongId {
        @OnCreate(...KEX, { id })
        create(context: ChangeContext) {
          called('long', context);
          if (context.retry < 1) throw new TemporaryError('wait', { delay: 0.5 });
          return 'ok';
        }
      }
      return LongId;
    },
    play: playCreate(5),
  },
  {
    name: 'other finalizers present',
    operator: (called) => {
      class Deletion {
        @OnDelete(...KEX, { id: 'd' })
        delete(context: ChangeContext) {
          called('d', context);
        }
      }
      return Deletion;
    },
    play: async (user) => {
      await user.create({ metadata: { finalizers: ['other/one', 'other/two'] } });
      await user.wait(1);
      await user.delete();
      await user.wait(1.5);
      await user.update({ metadata: { finalizers: ['other/two'] } });
      await user.wait(0.5);
      await user.update({ metadata: { finalizers: [] } });
      await user.wait(1);
    },
  },
  {
    name: 'own prefix and finalizer',
    operator: (called) => {
      class Deletion extends (temporary(called) as Type<object>) {
        @OnDelete(...KEX, { id: 'd' })
        delete(context: ChangeContext) {
          called('d', context);
        }
      }
      return Deletion;
    },
    play: async (user) => {
      await user.create();
      await user.wait(2.5);
      await user.delete();
      await user.wait(1.5);
    },
    options: {
      persistence: {
        progressStorage: new AnnotationsProgressStorage({ prefix: 'my-op.example.com' }),
        diffbaseStorage: new AnnotationsDiffBaseStorage({ prefix: 'my-op.example.com', key: 'last' }),
        finalizer: 'my-op.example.com/fin',
      },
    },
  },
  {
    name: 'status storages, with subresource',
    operator: temporary,
    play: playCreate(5),
    options: {
      persistence: {
        progressStorage: new StatusProgressStorage({ field: 'status.my-op' }),
        diffbaseStorage: new StatusDiffBaseStorage({ field: 'status.base' }),
      },
    },
  },
  {
    name: 'events posted',
    operator: (called) => {
      class Posting {
        @OnCreate(...KEX, { id: 'c' })
        create(context: ChangeContext) {
          called('c', context);
          context.info({ reason: 'Some', message: 'hello' });
          context.event({ type: 'MyType', reason: 'Other', message: 'x'.repeat(1100) });
          context.warn({ reason: 'W', message: 'careful' });
        }
      }
      return Posting;
    },
    play: playCreate(2.5),
  },
  {
    name: 'three creation handlers',
    operator: (called) => {
      class Three {
        @OnCreate(...KEX, { id: 'h0' })
        h0(context: ChangeContext) {
          called('h0', context);
          return 0;
        }
        @OnCreate(...KEX, { id: 'h1' })
        h1(context: ChangeContext) {
          called('h1', context);
          return 1;
        }
        @OnCreate(...KEX, { id: 'h2' })
        h2(context: ChangeContext) {
          called('h2', context);
          return 2;
        }
      }
      return Three;
    },
    play: playCreate(2.5),
  },
  {
    name: 'patch by transformation',
    operator: (called) => {
      class Transforming {
        @OnCreate(...KEX, { id: 't' })
        create(context: ChangeContext) {
          called('t', context);
          context.patch.transform((body) => {
            body.metadata.labels = { ...body.metadata.labels, made: 'yes' };
            body.spec.list = [1, 2];
          });
          return 'r';
        }
      }
      return Transforming;
    },
    play: playCreate(2.5),
  },
];
