// #region imports
import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import {
  Index,
  InjectIndex,
  KopfModule,
  OnCreate,
  OnEvent,
  OnStartup,
  Timer,
  type ActivityContext,
  type ChangeContext,
  type EventContext,
  type IndexContext,
  type IndexOf,
  type TimerContext,
} from 'nestjs-kopf';
// #endregion

// #region declare
interface PodSpec {
  nodeName?: string;
  containers: readonly { name: string }[];
}

@Injectable()
export class PodIndices {
  @Index('pods.v1')
  podsByNode({ spec, name }: IndexContext<PodSpec>) {
    return { [spec.nodeName ?? '']: name };
  }

  @Index('pods.v1')
  containersByPod({ spec, namespace, name }: IndexContext<PodSpec>) {
    return new Map([[[namespace, name], spec.containers.map((container) => container.name)]]);
  }

  @Index('pods.v1', { id: 'podNames', labels: { app: 'web' } })
  collect({ name }: IndexContext<PodSpec>) {
    return name;
  }
}
// #endregion

// #region use
@Injectable()
export class PodOperator {
  @OnCreate('disks.example.com')
  create({ spec, namespace, indices, logger }: ChangeContext<{ node: string; pod: string }>) {
    const pods = indices.podsByNode.get(spec.node)?.toArray().sort() ?? [];
    const [containers] = indices.containersByPod.get([namespace, spec.pod]) ?? [];
    logger.log(`${spec.node} has ${pods.join(', ')}; ${spec.pod} has ${containers?.join(', ')}.`);
  }

  @Timer('disks.example.com', { interval: 60 })
  report({ indices, logger }: TimerContext) {
    for (const name of indices.podNames.get(null) ?? []) logger.log(`There is ${name}.`);
  }
}
// #endregion

// #region typed
declare module 'nestjs-kopf' {
  interface Indices {
    podsByNode: IndexOf<PodIndices['podsByNode']>;
  }
}
// #endregion

// #region inject
@Controller('nodes')
export class NodesController {
  constructor(@InjectIndex('podsByNode') private readonly pods: Index<string, string>) {}

  @Get(':name')
  podsOf(@Param('name') name: string) {
    return this.pods.get(name)?.toArray().sort() ?? [];
  }
}

@Module({ imports: [KopfModule.forFeature({ indices: ['podsByNode'] })], controllers: [NodesController] })
export class NodesModule {}
// #endregion

// #region counter
interface Memo {
  counter?: number;
}

@Injectable()
export class CountingOperator {
  @OnEvent('disks.example.com')
  count({ memo }: EventContext<unknown, unknown, Memo>) {
    memo.counter = (memo.counter ?? 0) + 1;
  }

  @Timer('disks.example.com', { interval: 10 })
  report({ memo, logger }: TimerContext<unknown, unknown, Memo>) {
    logger.log(`There were ${memo.counter ?? 0} events in 10 seconds.`);
    memo.counter = 0;
  }
}
// #endregion

// #region shared
interface SharedMemo {
  queue?: string[];
  isSeen?: boolean;
}

@Injectable()
export class QueueOperator {
  @OnStartup()
  prepare({ memo }: ActivityContext<SharedMemo>) {
    memo.queue = [];
  }

  @OnEvent('disks.example.com')
  note({ memo, name }: EventContext<unknown, unknown, SharedMemo>) {
    if (!memo.isSeen) memo.queue?.push(name);
    memo.isSeen = true;
  }
}
// #endregion

// #region memo-class
export class Greetings {
  readonly given: string[] = [];

  constructor(readonly text: string) {}

  greet(name: string) {
    this.given.push(`${this.text}, ${name}!`);
  }

  clone() {
    return this;
  }
}

@Injectable()
export class GreetingOperator {
  @OnEvent('disks.example.com')
  greet({ memo, name }: EventContext<unknown, unknown, Greetings>) {
    memo.greet(name);
  }
}
// #endregion

// #region memo-options
export const options = { memo: new Greetings('Hello') };
// #endregion
