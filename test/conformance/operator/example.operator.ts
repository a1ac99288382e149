import type { Type } from '@nestjs/common';
import {
  OnCreate,
  OnDelete,
  OnField,
  OnResume,
  OnUpdate,
  PermanentError,
  TemporaryError,
  type ChangeContext,
} from 'nestjs-kopf';
import type { RecordedCalls } from './recorded.calls.js';

const EXAMPLES = ['kopf.dev/v1', 'kopfexamples'] as const;

/** An operator with handlers of all changes, some of which fail at first. */
export function makeExampleOperator(calls: RecordedCalls): Type {
  class ExampleOperator {
    @OnCreate(...EXAMPLES)
    create(context: ChangeContext) {
      calls.add('create', context);
      if (context.retry < 1) throw new TemporaryError('not yet', { delay: 0.1 });
      context.info({ reason: 'Created', message: `Hello, ${context.name}.` });
      return { retries: context.retry };
    }

    @OnCreate(...EXAMPLES)
    parts(context: ChangeContext): void {
      calls.add('parts', context);
      for (const part of ['left', 'right']) {
        context.subhandler(
          part,
          (child) => {
            calls.add(`parts/${part}`, child);
            if (part === 'right' && child.retry < 1) throw new Error('something went wrong');
            return part;
          },
          { backoff: 0.1 },
        );
      }
    }

    @OnCreate(...EXAMPLES, { annotations: { refuse: 'yes' } })
    refuse(context: ChangeContext): void {
      calls.add('refuse', context);
      throw new PermanentError('This one is refused.');
    }

    @OnResume(...EXAMPLES)
    resume(context: ChangeContext): void {
      calls.add('resume', context);
    }

    @OnUpdate(...EXAMPLES)
    update(context: ChangeContext) {
      calls.add('update', context);
      if (context.retry < 1) throw new TemporaryError('not yet', { delay: 0.1 });
      return context.spec.field as string;
    }

    @OnField(...EXAMPLES, { field: 'metadata.labels' })
    relabel(context: ChangeContext): void {
      calls.add('relabel', context);
    }

    @OnDelete(...EXAMPLES)
    delete(context: ChangeContext): void {
      calls.add('delete', context);
      if (context.retry < 1) throw new TemporaryError('not yet', { delay: 0.1 });
    }
  }
  return ExampleOperator;
}
