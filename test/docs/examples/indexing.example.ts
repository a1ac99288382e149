// #region imports
import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import {
  Index,
  InjectIndex,
  KopfModule,
  OnCreate,
  Timer,
  type ChangeContext,
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
  @OnCreate('kopfexamples.kopf.dev')
  create({ spec, namespace, indices, logger }: ChangeContext<{ node: string; pod: string }>) {
    const pods = indices.podsByNode.get(spec.node)?.toArray().sort() ?? [];
    const [containers] = indices.containersByPod.get([namespace, spec.pod]) ?? [];
    logger.log(`${spec.node} has ${pods.join(', ')}; ${spec.pod} has ${containers?.join(', ')}.`);
  }

  @Timer('kopfexamples.kopf.dev', { interval: 60 })
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
