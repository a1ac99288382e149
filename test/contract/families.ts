import {
  ABSENT,
  OnCreate,
  OnDelete,
  OnField,
  OnResume,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
} from 'nestjs-kopf';
import type { Called, Scenario, User } from './scenarios.js';

const KEX = ['kopf.dev/v1', 'kopfexamples'] as const;

/** Creates a function that records calls with the values before and after the change, as Python shows them. */
const withStates =
  (called: Called) =>
  (id: string, context: ChangeContext, extra?: Record<string, unknown>): void =>
    called(id, context, { old: context.old ?? null, new: context.new ?? null, ...extra });

/** Makes a play in which the operator is there all the time. */
const whileRunning =
  (play: (user: User) => Promise<void>) =>
  async (user: User): Promise<void> => {
    await user.start();
    await play(user);
    await user.stop();
  };

const creation = (seconds: number) =>
  whileRunning(async (user) => {
    await user.create();
    await user.wait(seconds);
  });

/** The counterparts of the functions in `families.py`, by their names. */
export const FAMILIES: readonly Scenario[] = [
  {
    name: 'deletion handler whose field has gone just before',
    operator: (called) => {
      const note = withStates(called);
      class Buckets {
        @OnUpdate(...KEX, { id: 'move', field: 'spec.bucket' })
        move(context: ChangeContext) {
          note('move', context);
          if (context.retry < 1) throw new TemporaryError('not yet', { delay: 30 });
        }
        @OnDelete(...KEX, { id: 'drop', field: 'spec.bucket' })
        drop(context: ChangeContext) {
          note('drop', context, { diff: context.diff });
        }
      }
      return Buckets;
    },
    play: whileRunning(async (user) => {
      await user.create({ spec: { bucket: 'b1' } });
      await user.wait(2);
      await user.update({ spec: { bucket: null } });
      await user.wait(1);
      await user.delete();
      await user.wait(3);
    }),
  },
  {
    name: 'deletion handler whose value was changed while the operator was down',
    operator: (called) => {
      const note = withStates(called);
      class Sizes {
        @OnCreate(...KEX, { id: 'make' })
        make(context: ChangeContext) {
          called('make', context);
        }
        @OnDelete(...KEX, { id: 'two', field: 'spec.size', value: 2 })
        two(context: ChangeContext) {
          note('two', context);
        }
        @OnDelete(...KEX, { id: 'three', field: 'spec.size', value: 3 })
        three(context: ChangeContext) {
          note('three', context);
        }
        @OnDelete(...KEX, { id: 'four', field: 'spec.size', value: 4 })
        four(context: ChangeContext) {
          note('four', context);
        }
      }
      return Sizes;
    },
    play: async (user) => {
      await user.start();
      await user.create({ spec: { size: 2 } });
      await user.wait(2);
      await user.stop();
      await user.update({ spec: { size: 3 } });
      await user.delete();
      await user.start();
      await user.wait(3);
      await user.stop();
    },
  },
  {
    name: 'resuming handlers with fields, mixed into an update',
    operator: (called) => {
      const note = withStates(called);
      class Resuming {
        @OnCreate(...KEX, { id: 'make' })
        make(context: ChangeContext) {
          called('make', context);
        }
        @OnResume(...KEX, { id: 'gone', field: 'spec.gone' })
        gone(context: ChangeContext) {
          note('gone', context, { diff: context.diff });
        }
        @OnResume(...KEX, { id: 'kept', field: 'spec.kept' })
        kept(context: ChangeContext) {
          note('kept', context, { diff: context.diff });
        }
        @OnResume(...KEX, { id: 'before', field: 'spec.size', value: 1 })
        before(context: ChangeContext) {
          note('before', context);
        }
        @OnResume(...KEX, { id: 'after', field: 'spec.size', value: 2 })
        after(context: ChangeContext) {
          note('after', context);
        }
        @OnResume(...KEX, { id: 'never', field: 'spec.size', value: 3 })
        never(context: ChangeContext) {
          called('never', context);
        }
        @OnResume(...KEX, { id: 'absent', field: 'spec.gone', value: ABSENT })
        absent(context: ChangeContext) {
          note('absent', context);
        }
      }
      return Resuming;
    },
    play: async (user) => {
      await user.start();
      await user.create({ spec: { gone: 'x', kept: 'y', size: 1 } });
      await user.wait(2);
      await user.stop();
      await user.update({ spec: { gone: null, size: 2 } });
      await user.start();
      await user.wait(4);
      await user.stop();
    },
  },
  {
    name: 'creation handlers with a field that is absent, and present',
    operator: (called) => {
      const note = withStates(called);
      class Creation {
        @OnCreate(...KEX, { id: 'absent', field: 'spec.other', value: ABSENT })
        absent(context: ChangeContext) {
          note('absent', context, { diff: context.diff });
        }
        @OnCreate(...KEX, { id: 'present-absent', field: 'spec.field', value: ABSENT })
        presentAbsent(context: ChangeContext) {
          note('present-absent', context, { diff: context.diff });
        }
        @OnCreate(...KEX, { id: 'not-v1', field: 'spec.field', value: (value) => value !== 'v1' })
        notV1(context: ChangeContext) {
          note('not-v1', context);
        }
        @OnCreate(...KEX, { id: 'v2', field: 'spec.field', value: 'v2' })
        v2(context: ChangeContext) {
          called('v2', context);
        }
      }
      return Creation;
    },
    play: creation(4),
  },
  {
    name: 'deletion handlers with a field that is absent',
    operator: (called) => {
      const note = withStates(called);
      class Deletion {
        @OnDelete(...KEX, { id: 'present-absent', field: 'spec.field', value: ABSENT })
        presentAbsent(context: ChangeContext) {
          note('present-absent', context);
        }
        @OnDelete(...KEX, { id: 'absent', field: 'spec.other', value: ABSENT })
        absent(context: ChangeContext) {
          note('absent', context);
        }
      }
      return Deletion;
    },
    play: whileRunning(async (user) => {
      await user.create();
      await user.wait(2);
      await user.delete();
      await user.wait(3);
    }),
  },
  {
    name: 'sub-handlers with fields',
    operator: (called) => {
      const note = withStates(called);
      class Parent {
        @OnUpdate(...KEX, { id: 'parent' })
        update(context: ChangeContext) {
          called('parent', context);
          const x = (child: ChangeContext) => {
            note('parent/x', child, { diff: child.diff });
            if (child.retry < 1) throw new TemporaryError('not yet', { delay: 1 });
            return { n: child.retry };
          };
          context.subhandler('x', x, { field: 'spec.field' });
          context.subhandler('y', (child) => called('parent/y', child), { field: 'spec.other' });
          context.subhandler('z', (child) => {
            called('parent/z', child);
            return 'z';
          });
        }
      }
      return Parent;
    },
    play: whileRunning(async (user) => {
      await user.create();
      await user.wait(2);
      await user.update({ spec: { field: 'v2' } });
      await user.wait(4);
    }),
  },
  {
    name: 'sub-handlers with fields under a handler with a field',
    operator: (called) => {
      const note = withStates(called);
      class Parent {
        @OnCreate(...KEX, { id: 'parent', field: 'spec.part' })
        create(context: ChangeContext) {
          called('parent', context, { new: context.new });
          const x = (child: ChangeContext) => {
            note('parent/x', child, { diff: child.diff });
            return child.new;
          };
          context.subhandler('x', x, { field: 'size', value: 1 });
          context.subhandler('y', (child) => called('parent/y', child), { field: 'size', value: 2 });
        }
      }
      return Parent;
    },
    play: whileRunning(async (user) => {
      await user.create({ spec: { part: { size: 1 } } });
      await user.wait(3);
    }),
  },
  {
    name: 'stacked decorators with different ids',
    operator: (called) => {
      class Stacked {
        @OnCreate(...KEX, { id: 'top' })
        @OnCreate(...KEX, { id: 'middle' })
        @OnCreate(...KEX, { id: 'bottom' })
        create(context: ChangeContext) {
          called('stacked', context);
          return true;
        }
      }
      return Stacked;
    },
    play: creation(3),
  },
  {
    name: 'stacked decorators with one id',
    operator: (called) => {
      class Stacked {
        @OnCreate(...KEX, { id: 'fn', retries: 3, backoff: 1, param: 'top' })
        @OnCreate(...KEX, { id: 'fn', retries: 2, backoff: 2, param: 'bottom' })
        create(context: ChangeContext) {
          called('fn', context, { param: context.param });
          throw new Error('never');
        }
      }
      return Stacked;
    },
    play: creation(6),
  },
  {
    name: 'stacked decorators, the lowest of which does not match',
    operator: (called) => {
      class Stacked {
        @OnCreate(...KEX, { id: 'fn', param: 'top' })
        @OnCreate(...KEX, { id: 'fn', param: 'bottom', labels: { none: 'yes' } })
        @OnUpdate(...KEX, { id: 'fn', param: 'update' })
        handle(context: ChangeContext) {
          called('fn', context, { param: context.param });
        }
      }
      return Stacked;
    },
    play: whileRunning(async (user) => {
      await user.create();
      await user.wait(2);
      await user.update({ spec: { field: 'v2' } });
      await user.wait(2);
    }),
  },
  {
    name: 'temporary errors without a delay',
    operator: (called) => {
      class Impatient {
        @OnCreate(...KEX, { id: 'none' })
        create(context: ChangeContext) {
          called('none', context);
          if (context.retry < 2) throw new TemporaryError('again', { delay: null });
          return context.retry;
        }
      }
      return Impatient;
    },
    play: creation(3),
  },
  {
    name: 'temporary errors with a delay of zero',
    operator: (called) => {
      class Impatient {
        @OnCreate(...KEX, { id: 'zero' })
        create(context: ChangeContext) {
          called('zero', context);
          if (context.retry < 2) throw new TemporaryError('again', { delay: 0 });
          return context.retry;
        }
      }
      return Impatient;
    },
    play: creation(3),
  },
  {
    name: 'unreadable progress',
    operator: (called) => {
      class Creation {
        @OnCreate(...KEX, { id: 'fn' })
        create(context: ChangeContext) {
          called('fn', context);
        }
      }
      return Creation;
    },
    play: whileRunning(async (user) => {
      await user.create({ metadata: { annotations: { 'kopf.zalando.org/fn': 'not JSON' } } });
      await user.wait(5);
    }),
    differs: ['fn: create'],
  },
  {
    name: 'unreadable last handled configuration',
    operator: (called) => {
      class Changes {
        @OnCreate(...KEX, { id: 'make' })
        make(context: ChangeContext) {
          called('make', context);
        }
        @OnUpdate(...KEX, { id: 'change' })
        change(context: ChangeContext) {
          called('change', context);
        }
      }
      return Changes;
    },
    play: whileRunning(async (user) => {
      await user.create();
      await user.wait(2);
      await user.update({ metadata: { annotations: { 'kopf.zalando.org/last-handled-configuration': 'not JSON' } } });
      await user.wait(5);
    }),
    differs: ['make: create', 'make: create'],
  },
  {
    name: 'field below one that is no map',
    operator: (called) => {
      const note = withStates(called);
      class Below {
        @OnCreate(...KEX, { id: 'make' })
        make(context: ChangeContext) {
          called('make', context);
        }
        @OnField(...KEX, { id: 'below', field: 'spec.field.below' })
        below(context: ChangeContext) {
          note('below', context);
        }
      }
      return Below;
    },
    play: whileRunning(async (user) => {
      await user.create({ spec: { field: 'text' } });
      await user.wait(3);
      await user.update({ spec: { field: { below: 1 } } });
      await user.wait(3);
    }),
    differs: ['make: create', 'below: update'],
  },
];
