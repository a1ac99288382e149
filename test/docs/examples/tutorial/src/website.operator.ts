import { Injectable } from '@nestjs/common';
import {
  adopt,
  KubeClient,
  Needs,
  OnCreate,
  OnField,
  OnUpdate,
  PermanentError,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type KubeObject,
} from 'nestjs-kopf';
import { Website, type WebsiteSpec } from './website.resource.js';

@Injectable()
@Needs({ configmaps: ['create', 'patch'], pods: ['get', 'create', 'patch'] })
export class WebsiteOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate(Website)
  async create({ name, namespace, spec, logger }: ChangeContext<WebsiteSpec>) {
    if (!spec.html.includes('<')) throw new PermanentError(`The page of ${name} is not HTML.`);
    await this.client.create(page(name, spec));
    await this.client.create(server(name));
    logger.log(`The website ${name} of ${namespace} is on its way.`);
    return { pod: `${name}-server` };
  }

  @OnUpdate(Website, { field: 'spec.html' })
  async update({ name, namespace, new: html }: ChangeContext<WebsiteSpec>) {
    await this.client.patch('configmaps.v1', `${name}-page`, { data: { 'index.html': html } }, { namespace });
  }

  @OnField(Website, { field: 'metadata.labels' })
  async relabel({ name, namespace, old, new: labels }: ChangeContext) {
    const removed = Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, null]));
    await this.client.patch(
      'pods.v1',
      `${name}-server`,
      { metadata: { labels: { ...removed, ...labels } } },
      { namespace },
    );
  }

  @Timer(Website, { interval: 10, when: ({ status }) => status.create })
  async observe({ name, namespace, status, patch }: DaemonContext) {
    const pod = await this.client.get('pods.v1', `${name}-server`, { namespace });
    if (status.phase !== pod.status.phase) patch.status.phase = pod.status.phase;
  }
}

function page(name: string, { html }: WebsiteSpec): KubeObject {
  const metadata = { name: `${name}-page` };
  return adopt({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'index.html': html } }) as KubeObject;
}

function server(name: string): KubeObject {
  const volumeMounts = [{ name: 'page', mountPath: '/usr/share/nginx/html' }];
  const spec = {
    containers: [{ name: 'nginx', image: 'nginx', volumeMounts }],
    volumes: [{ name: 'page', configMap: { name: `${name}-page` } }],
  };
  return adopt({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `${name}-server` }, spec }) as KubeObject;
}
