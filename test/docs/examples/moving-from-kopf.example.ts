// #region imports
import { applyDecorators, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  adopt,
  ForOperator,
  KopfModule,
  KopfSettings,
  KubeClient,
  OnCreate,
  OnDelete,
  OnLogin,
  OnStartup,
  OnUpdate,
  TemporaryError,
  type ActivityContext,
  type ChangeContext,
  type LoginContext,
} from 'nestjs-kopf';
// #endregion

// #region atomic
@Injectable()
export class AddressOperator {
  private readonly free = ['10.0.0.1', '10.0.0.2'];

  constructor(private readonly client: KubeClient) {}

  @OnCreate('kopfexamples.kopf.dev')
  async create({ name, namespace }: ChangeContext) {
    // Taken before the first `await`: after it, another handler may have taken the same one.
    const address = this.free.pop();
    if (address === undefined) throw new TemporaryError('No address is free.', { delay: 60 });
    try {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { address } };
      await this.client.create(map);
    } catch (error) {
      this.free.push(address);
      throw error;
    }
    return { address };
  }
}
// #endregion

// #region children
@Injectable()
export class ParentOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate('kopfexamples.kopf.dev')
  async create({ name, spec }: ChangeContext<{ colour: string }>) {
    // What the handler of the child needs is in the child itself.
    const metadata = { name: `${name}-child`, labels: { colour: spec.colour } };
    const child = adopt({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await this.client.create(child);
    return { child: child.metadata.name };
  }

  @OnCreate('configmaps', { ownedBy: 'kopfexamples.kopf.dev' })
  paint({ labels, parent, logger }: ChangeContext) {
    const isReady = parent?.status?.create !== undefined;
    logger.log(`It is ${labels.colour}, and its parent has ${isReady ? '' : 'not '}been handled.`);
  }
}
// #endregion

// #region missing
@Injectable()
export class MissingOperator {
  @OnUpdate('kopfexamples.kopf.dev')
  update({ status, logger }: ChangeContext<unknown, { create?: { address?: string } }>) {
    const address = status.create?.address;
    if (address === undefined) throw new TemporaryError('There is no address yet.', { delay: 10 });
    logger.log(`The address is ${address}.`);
  }
}
// #endregion

// #region keywords
@Injectable()
export class KeywordsOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ name, ...others }: ChangeContext) {
    return this.describe({ ...others, greeting: `Hello, ${name}` });
  }

  private describe({ greeting, namespace, uid }: Pick<ChangeContext, 'namespace' | 'uid'> & { greeting: string }) {
    return { greeting, from: namespace, isKnown: uid !== '' };
  }
}
// #endregion

// #region wrapping
function Audited(): MethodDecorator {
  return (_target, key, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...args: unknown[]) => unknown;
    descriptor.value = async function (this: unknown, context: ChangeContext) {
      context.logger.log(`${String(key)} begins.`);
      return method.call(this, context);
    };
  };
}

@Injectable()
export class AuditedOperator {
  // The handler's decorator stands above: it finds the method that the others have made.
  @OnCreate('kopfexamples.kopf.dev')
  @Audited()
  create({ name }: ChangeContext) {
    return `done with ${name}`;
  }
}
// #endregion

// #region loops
const RESOURCES = ['kopfexamples.kopf.dev', 'configmaps'];

const OnAnyCreation = () => applyDecorators(...RESOURCES.map((resource) => OnCreate(resource)));

@Injectable()
export class LoopOperator {
  @OnAnyCreation()
  create({ resource, logger }: ChangeContext) {
    logger.log(`One of the ${resource.plural} was created.`);
  }
}
// #endregion

// #region conditional
@Injectable()
export class CleaningOperator {
  @OnDelete('kopfexamples.kopf.dev')
  remove({ logger }: ChangeContext) {
    logger.log('It is cleaned up.');
  }
}

export function createModule({ cleansUp = process.env.CLEANS_UP === 'yes' } = {}) {
  @Module({
    imports: [KopfModule.forRoot({ posting: { enabled: false } })],
    providers: [LoopOperator, ...(cleansUp ? [CleaningOperator] : [])],
  })
  class AppModule {}
  return AppModule;
}
// #endregion

// #region operator
export async function runOperator(stop: AbortSignal) {
  const app = await NestFactory.createApplicationContext(createModule(), { logger: ['debug', 'log', 'warn', 'error'] });
  stop.addEventListener('abort', () => void app.close());
  return app;
}
// #endregion

// #region clusters
const CLUSTERS = ['shops', 'depots'];

@Injectable()
export class StockOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create({ name, logger }: ChangeContext) {
    logger.log(`${name} is in stock.`);
  }
}

@Module({
  imports: CLUSTERS.map((name) => KopfModule.forRoot({ name, credentials: `/etc/clusters/${name}.yaml` })),
  providers: CLUSTERS.map((cluster) => {
    @Injectable()
    @ForOperator(cluster)
    class ClusterStockOperator extends StockOperator {}
    return ClusterStockOperator;
  }),
})
export class ClustersModule {}
// #endregion

// #region progress
@Injectable()
export class ProgressOperator {
  constructor(private readonly settings: KopfSettings) {}

  @OnCreate('kopfexamples.kopf.dev')
  create({ retry }: ChangeContext) {
    if (retry < 2) throw new TemporaryError('Not yet.', { delay: 10 });
  }

  @OnCreate('kopfexamples.kopf.dev')
  watch({ body, retry, logger }: ChangeContext) {
    const progress = this.settings.persistence.progressStorage.fetch('create', body);
    logger.log(`create was tried ${progress?.retries ?? 0} times.`);
    if (retry < 1) throw new TemporaryError('Look again.', { delay: 5 });
  }
}
// #endregion

// #region login
@Injectable()
export class LoginOperator {
  @OnLogin()
  login({ withServiceAccount, withKubeConfig }: LoginContext) {
    return process.env.KUBERNETES_SERVICE_HOST ? withServiceAccount() : withKubeConfig();
  }
}
// #endregion

// #region startup
@Injectable()
export class StartupOperator {
  constructor(private readonly client: KubeClient) {}

  @OnStartup()
  async begin({ logger }: ActivityContext) {
    const { items } = await this.client.list('namespaces');
    logger.log(`There are ${items.length} namespaces.`);
  }
}
// #endregion
