// #region imports
import { Injectable, Module } from '@nestjs/common';
import { ApiException, CoreV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import {
  ApiConflictError,
  ApiNotFoundError,
  InjectKubeApi,
  KopfModule,
  KubeClient,
  OnCreate,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
// #endregion

// #region dynamic
interface Deployment extends KubeObject {
  spec: { replicas: number };
}

@Injectable()
export class ScalingService {
  constructor(private readonly client: KubeClient) {}

  async scale(namespace: string, name: string, replicas: number): Promise<boolean> {
    try {
      const deployment = await this.client.get<Deployment>('deployments.apps', name, { namespace });
      if (deployment.spec.replicas === replicas) return false;
    } catch (error) {
      if (error instanceof ApiNotFoundError) return false;
      throw error;
    }
    await this.client.patch('deployments.apps', name, { spec: { replicas } }, { namespace });
    return true;
  }

  async countReplicas(labelSelector: string): Promise<number> {
    let count = 0;
    for await (const { spec } of this.client.listAll<Deployment>('deployments.apps', { labelSelector })) {
      count += spec.replicas;
    }
    return count;
  }
}
// #endregion

// #region watch
@Injectable()
export class RolloutService {
  constructor(private readonly client: KubeClient) {}

  async waitUntilReady(namespace: string, name: string, signal: AbortSignal): Promise<boolean> {
    const options = { namespace, fieldSelector: `metadata.name=${name}`, signal };
    for await (const { type, object } of this.client.watch('deployments.apps', options)) {
      if (type === 'DELETED') return false;
      const { replicas, readyReplicas } = (object.status ?? {}) as { replicas?: number; readyReplicas?: number };
      if (replicas !== undefined && replicas === readyReplicas) return true;
    }
    return false;
  }
}
// #endregion

// #region typed
@Injectable()
export class PodOperator {
  constructor(@InjectKubeApi(CoreV1Api) private readonly core: CoreV1Api) {}

  @OnCreate('disks.example.com')
  async create({ name, namespace = 'default' }: ChangeContext) {
    const labels = { 'served-by': 'operator' };
    const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    try {
      await this.core.patchNamespacedPod({ name, namespace, body: { metadata: { labels } } }, asMerge);
    } catch (error) {
      if (!(error instanceof ApiException) || error.code !== 404) throw error;
      const containers = [{ name: 'main', image: 'nginx' }];
      await this.core.createNamespacedPod({ namespace, body: { metadata: { name, labels }, spec: { containers } } });
    }
  }
}

@Module({ imports: [KopfModule.forFeature({ apis: [CoreV1Api] })], providers: [PodOperator] })
export class PodModule {}
// #endregion

// #region lost
@Injectable()
export class LockService {
  constructor(private readonly client: KubeClient) {}

  async lock(name: string, holder: string): Promise<boolean> {
    const lock: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { holder } };
    try {
      await this.client.create(lock);
      return true;
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
      if (!error.afterLostAnswer) return false;
      const found = await this.client.get<KubeObject & { data?: { holder?: string } }>('configmaps.v1', name);
      return found.data?.holder === holder;
    }
  }
}
// #endregion
