import { Injectable } from '@nestjs/common';
import {
  adopt,
  KubeClient,
  OnCreate,
  OnField,
  OnUpdate,
  PermanentError,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type KubeObject,
} from 'nestjs-kopf';

const WEBSITES = 'websites.example.com';

export interface WebsiteSpec {
  html: string;
}

@Injectable()
export class WebsiteOperator {
  constructor(private readonly client: KubeClient) {}

  @OnCreate(WEBSITES)
  async create({ name, namespace, spec, logger }: ChangeContext<WebsiteSpec>) {
    if (!spec.html.includes('<')) throw new PermanentError(`The page of ${name} is not HTML.`);
    await this.client.create(page(name, spec));
    await this.client.create(server(name));
    logger.log(`The website ${name} of ${namespace} is on its way.`);
    return { pod: `${name}-server` };
  }

  @OnUpdate(WEBSITES, { field: 'spec.html' })
  async update({ name, namespace, new: html }: ChangeContext<WebsiteSpec>) {
    await this.client.patch('configmaps.v1', `${name}-page`, { data: { 'index.html': html } }, { namespace });
  }

  @OnField(WEBSITES, { field: 'metadata.labels' })
  async relabel({ name, namespace, old, new: labels }: ChangeContext) {
    const removed = Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, null]));
    await this.client.patch(
      'pods.v1',
      `${name}-server`,
      { metadata: { labels: { ...removed, ...labels } } },
      { namespace },
    );
  }

  @Timer(WEBSITES, { interval: 10, when: ({ status }) => status.create })
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
