import type { Type } from '@nestjs/common';
import {
  Daemon,
  Index,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnStartup,
  OnUpdate,
  PRESENT,
  TemporaryError,
  Timer,
  type ActivityContext,
  type ChangeContext,
  type Clock,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type KubeClient,
  type TimerContext,
} from 'nestjs-kopf';
import type { CreateOptions, DaemonOptions, WatchOptions } from 'nestjs-kopf/decorators';
import type { Draw } from './random.draw.js';
import type { RandomRun } from './random.run.js';
import { drawTrouble, type Trouble } from './random.trouble.js';

/** The resource of random operators. */
export const RESOURCE = 'kopfexamples.kopf.dev';

/** The label of the objects that are selected, if an operator selects some. */
export const SELECTED = { key: 'team', value: 'blue' } as const;

/** The specification of the objects of random operators. */
export interface RandomSpec {
  readonly size: number;
  readonly colour?: string;
}

/** The context of handlers of changes. */
export type Change = ChangeContext<RandomSpec>;

/** The dependencies of random operators. */
export interface Parts {
  readonly run: RandomRun;
  readonly clock: Clock;
  readonly client: KubeClient;
}

/** Adds handlers to a class, each by a decorator. */
export class OperatorBuilder {
  /** The options that all handlers of objects have in common. */
  protected readonly common: WatchOptions;

  constructor(
    protected readonly draw: Draw,
    protected readonly type: Type<Parts>,
    isSelecting: boolean,
  ) {
    this.common = isSelecting ? { selector: { labels: `${SELECTED.key}=${SELECTED.value}` } } : {};
  }

  addIndex(): void {
    this.add('sizes', [Index(RESOURCE, this.common)], (_parts, { name, spec }: IndexContext<RandomSpec>) => ({
      [name]: spec.size,
    }));
  }

  addStartup(): void {
    const failures = this.draw.number(3);
    this.add('prepare', [OnStartup()], (_parts, { retry }: ActivityContext) => {
      if (retry < failures) throw new TemporaryError('It is too early.', { delay: 1 });
    });
  }

  addNoting(count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => {
      const trouble = drawTrouble(this.draw);
      const id = `note${index + 1}`;
      const returns = this.draw.percent(50);
      const options = { ...this.common, ...trouble.options };
      this.add(id, [OnCreate(RESOURCE, options), OnUpdate(RESOURCE, options)], async (parts, context: Change) => {
        await this.act(parts, id, trouble, context);
        if (returns) return context.spec.size;
        context.patch.status[id] = context.spec.size;
        return undefined;
      });
      return id;
    });
  }

  addSubHandlers(): void {
    const troubles = Array.from({ length: 1 + this.draw.number(3) }, () => drawTrouble(this.draw, true));
    const { common } = this;
    this.add(
      'parts-if',
      [OnCreate(RESOURCE, common), OnUpdate(RESOURCE, common)],
      ({ clock }, { subhandler }: Change) => {
        troubles.forEach((trouble, index) =>
          subhandler(
            `part${index + 1}`,
            async ({ retry, spec }: Change) => {
              await trouble.meet(retry, clock);
              return spec.size;
            },
            trouble.options,
          ),
        );
      },
    );
  }

  addConditional(): void {
    const trouble = drawTrouble(this.draw, true);
    const filters = this.draw.one<CreateOptions>([
      { labels: { team: 'blue' } },
      { annotations: { checked: PRESENT } },
      { when: ({ spec }) => (spec as RandomSpec).size % 2 === 0 },
    ]);
    const options = { ...this.common, ...trouble.options, ...filters };
    this.add('filtered-if', [OnCreate(RESOURCE, options), OnUpdate(RESOURCE, options)], (parts, context: Change) =>
      this.act(parts, 'filtered-if', trouble, context),
    );
  }

  addField(): void {
    const trouble = drawTrouble(this.draw, true);
    const options = {
      ...this.common,
      ...trouble.options,
      field: this.draw.one(['spec.size', 'spec.colour', 'metadata.labels']),
    };
    this.add('field-if', [OnField(RESOURCE, options)], async (parts, context: Change) => {
      await this.act(parts, 'field-if', trouble, context);
      return { new: context.new as object };
    });
  }

  addReleasing(count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => {
      const trouble = drawTrouble(this.draw);
      const id = `release${index + 1}`;
      this.add(id, [OnDelete(RESOURCE, { ...this.common, ...trouble.options })], (parts, context: Change) =>
        this.act(parts, id, trouble, context),
      );
      return id;
    });
  }

  addResuming(): void {
    const trouble = drawTrouble(this.draw, true);
    const options = { ...this.common, ...trouble.options, deleted: this.draw.percent(30) };
    this.add('resume-if', [OnResume(RESOURCE, options)], async ({ clock }, { patch, retry }: Change) => {
      await trouble.meet(retry, clock);
      patch.status['resume-if'] = 'resumed';
    });
  }

  addEvents(): void {
    this.add('seen', [OnEvent(RESOURCE, this.common)], (_parts, { type, patch, spec }: EventContext<RandomSpec>) => {
      if (type !== 'DELETED') patch.status.seen = spec.size;
    });
  }

  addDaemon(label: string): void {
    const pause = this.draw.one([5, 30]);
    const options: DaemonOptions = {
      ...this.common,
      cancellationTimeout: 5,
      ...(label && { labels: { [label]: PRESENT } }),
    };
    this.add('guard', [Daemon(RESOURCE, options)], async ({ run }, { name, uid, stopped }: DaemonContext) => {
      run.process.guarded.set(uid, name);
      while (!stopped.isSet) await stopped.wait(pause);
      run.process.guarded.delete(uid);
    });
  }

  addTimer(): void {
    const pace = this.draw.one([{ interval: 7 }, { interval: 20, sharp: true }, { interval: 15, initialDelay: 3 }]);
    this.add('tick-if', [Timer(RESOURCE, { ...this.common, ...pace })], (_parts, { patch }: TimerContext) => {
      patch.status['tick-if'] = 'ticked';
    });
  }

  protected async act(
    { run, clock }: Parts,
    id: string,
    trouble: Trouble,
    { name, uid, retry }: Pick<Change, 'name' | 'uid' | 'retry'>,
  ): Promise<void> {
    await trouble.meet(retry, clock);
    await run.act(id, name, uid);
  }

  protected add<Context>(
    id: string,
    decorators: readonly MethodDecorator[],
    handler: (parts: Parts, context: Context) => unknown,
  ): void {
    const { prototype } = this.type;
    prototype[id] = function (this: Parts, context: Context) {
      return handler(this, context);
    };
    for (const decorate of decorators) decorate(prototype, id, Object.getOwnPropertyDescriptor(prototype, id)!);
  }
}
