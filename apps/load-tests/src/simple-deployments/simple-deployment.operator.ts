import { Inject, Injectable } from '@nestjs/common';
import { adopt, ApiConflictError, KubeClient, Needs, OnCreate, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import { SimpleDeployment, type SimpleDeploymentSpec } from './simple-deployment.js';

/** Starts exactly one pod for each simple deployment. The pod goes with it, as it is owned. */
@Injectable()
@Needs({ pods: ['get', 'create'], events: [] })
export class SimpleDeploymentOperator {
  constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

  @OnCreate(SimpleDeployment)
  async create({ name, spec }: ChangeContext<SimpleDeploymentSpec>) {
    const script = `echo "I'm so very useful!"; sleep ${Number(spec.sleepytime ?? 0)}`;
    const pod: KubeObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      // The name is known beforehand, so that an operator that is interrupted here makes no second pod.
      metadata: { name },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'simple', image: 'busybox', command: ['sh', '-x', '-c'], args: [script] }],
      },
    };
    adopt(pod);
    const { metadata } = await this.createOnce(pod);
    return { children: [metadata.uid] };
  }

  private async createOnce(pod: KubeObject): Promise<KubeObject> {
    try {
      return await this.client.create(pod);
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
      return this.client.get('pods.v1', pod.metadata.name!, { namespace: pod.metadata.namespace });
    }
  }
}
