import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import { normalise } from '../../api/answer.normaliser.js';
import { HttpsSide, type HttpsRequest } from '../../https.side.js';
import type { Client } from '../client.js';
import { type CrdSource, type PublishedCrd, publishedCrds, type PublishedVersion } from './published.crds.js';
import { sampleOf } from './schema.sample.js';

const SOURCES: readonly CrdSource[] = [
  { module: 'github.com/argoproj/argo-rollouts', version: 'v1.8.5', folder: 'manifests/crds' },
  { module: 'github.com/cert-manager/cert-manager', version: 'v1.21.2', folder: 'deploy/crds' },
  { module: 'github.com/external-secrets/external-secrets', version: 'v1.3.2', folder: 'config/crds/bases' },
  { module: 'github.com/fluxcd/source-controller', version: 'v1.8.5', folder: 'config/crd/bases' },
  { module: 'github.com/kedacore/keda/v2', version: 'v2.21.0', folder: 'config/crd/bases' },
  { module: 'github.com/kyverno/kyverno', version: 'v1.19.1', folder: 'config/crds' },
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    folder: 'example/prometheus-operator-crd',
  },
  { module: 'github.com/vmware-tanzu/velero', version: 'v1.18.3', folder: 'config/crd/v1/bases' },
  { module: 'istio.io/api', version: 'v1.31.1', folder: 'kubernetes/customresourcedefinitions.gen.yaml' },
  { module: 'knative.dev/serving', version: 'v0.51.0', folder: 'config/core/300-resources' },
  { module: 'sigs.k8s.io/cluster-api', version: 'v1.14.2', folder: 'core/config/crd/bases' },
  { module: 'sigs.k8s.io/gateway-api', version: 'v1.5.1', folder: 'config/crd/experimental' },
  { module: 'sigs.k8s.io/karpenter', version: 'v1.12.1', folder: 'pkg/apis/crds' },
];
const NAMESPACE = 'published';
/** Groups whose definitions need an approval, which a controller of its own notes. */
const PROTECTED_GROUP = /\.(k8s|kubernetes)\.io$/;
/** The conditions of definitions. */
const CONDITION_TYPES: readonly unknown[] = [
  'Established',
  'NamesAccepted',
  'KubernetesAPIApprovalPolicyConformant',
  'Terminating',
];
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** Longer answers are shown by their hash. */
const LONGEST = 3000;

/** CRDs as projects publish them: each is applied, then an object of each served version is created, changed, listed, deleted. */
export const crds: Client = {
  name: 'crds',
  async prepare(isAllowed) {
    const all: PublishedCrd[] = [];
    for (const source of SOURCES) {
      const published = await publishedCrds(source, isAllowed);
      if (!published) return `the CRDs of ${source.module} are not in the cache`;
      all.push(...published);
    }
    return async (kubeconfig) => {
      const use = new CrdUse(kubeconfig);
      try {
        await use.prepare();
        for (const crd of all) await use.apply(crd);
        return use.lines;
      } finally {
        use.close();
      }
    };
  },
};

/** Sends the requests for one server, and notes the answers. */
class CrdUse {
  readonly lines: string[] = [];
  private readonly side: HttpsSide;

  constructor(kubeconfig: string) {
    const { clusters, users } = load(readFileSync(kubeconfig, 'utf8')) as {
      clusters: readonly [{ cluster: { server: string } }];
      users: readonly [{ user: { token: string } }];
    };
    this.side = new HttpsSide(clusters[0].cluster.server, users[0].user.token);
  }

  close(): void {
    this.side.close();
  }

  async prepare(): Promise<void> {
    await this.side.send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  }

  /** Applies a CRD as `kubectl apply --server-side` does, uses its versions, and deletes it. */
  async apply(crd: PublishedCrd): Promise<void> {
    const { name } = crd.metadata;
    // Nobody serves the webhooks that convert between versions.
    if (crd.spec.conversion) crd.spec.conversion = { strategy: 'None' };
    const applied = { ...APPLY, path: `${DEFINITIONS}/${name}?fieldManager=clients`, body: crd };
    const status = await this.send(`apply ${name}`, applied);
    if (status >= 300) return;
    const served = crd.spec.versions.filter((version) => version.served);
    await Promise.all(served.map((version) => this.untilServed(pathOf(crd, version))));
    await this.untilTrue(name, 'Established');
    if (PROTECTED_GROUP.test(crd.spec.group)) await this.untilTrue(name, 'KubernetesAPIApprovalPolicyConformant');
    await this.send('definition', { method: 'GET', path: `${DEFINITIONS}/${name}` });
    await this.send('apply again', applied);
    for (const version of served) {
      for (const isFull of [false, true]) await this.use(crd, version, isFull);
    }
    await this.send('delete', { method: 'DELETE', path: `${DEFINITIONS}/${name}` });
  }

  private async use(crd: PublishedCrd, version: PublishedVersion, isFull: boolean): Promise<void> {
    const path = pathOf(crd, version);
    const object = sampleObject(crd, version, isFull);
    const one = `${path}/one`;
    const created = await this.send(`create ${isFull}`, { method: 'POST', path, body: object });
    if (created >= 300) return;
    await this.send('label', { ...MERGE, path: one, body: { metadata: { labels: { a: 'b' } } } });
    await this.send('unknown', { ...MERGE, path: one, body: { spec: { nowhere: 1, a: { b: [null] } } } });
    await this.send('conflict', { ...APPLY, path: `${one}?fieldManager=other`, body: object });
    const { status } = object as { status?: object };
    if (version.subresources?.status) {
      await this.send('status', { ...MERGE, path: `${one}/status`, body: { status: status ?? {} } });
    }
    if (version.subresources?.scale) await this.send('scale', { method: 'GET', path: `${one}/scale` });
    await this.send('table', { method: 'GET', path, headers: TABLE });
    await this.send('list', { method: 'GET', path });
    await this.send('remove', { method: 'DELETE', path: one });
  }

  /** Resources are served a moment before their definitions say so. */
  private async untilTrue(name: string, type: string): Promise<void> {
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const { text } = await this.side.send({ method: 'GET', path: `${DEFINITIONS}/${name}` });
      const { status } = JSON.parse(text) as { status?: { conditions?: { type: string; status: string }[] } };
      if (status?.conditions?.some((each) => each.type === type && each.status === 'True')) return;
      await sleep(50);
    }
    throw new Error(`${name} has no condition ${type} that is true`);
  }

  private async untilServed(path: string): Promise<void> {
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const { status } = await this.side.send({ method: 'GET', path });
      if (status === 200) return;
      await sleep(50);
    }
    throw new Error(`${path} is not served`);
  }

  private async send(step: string, request: HttpsRequest): Promise<number> {
    const { status, headers, text } = await this.side.send(request);
    const { body } = normalise({ code: status, body: JSON.parse(text) });
    const shown = JSON.stringify(body, ordered);
    const isLong = shown.length > LONGEST && !process.env.CRD_DETAILS;
    const hash = createHash('sha256').update(shown).digest('hex').slice(0, 16);
    const warning = headers.warning === undefined ? '' : ` (${headers.warning})`;
    this.lines.push(`${step} ${status}${warning} ${isLong ? `${shown.length} characters ${hash}` : shown}`);
    return status;
  }
}

const APPLY = { method: 'PATCH', headers: { 'content-type': 'application/apply-patch+yaml' } } as const;
const MERGE = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' } } as const;
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } as const;

function pathOf({ spec: { group, scope, names } }: PublishedCrd, { name }: PublishedVersion): string {
  return `/apis/${group}/${name}/${scope === 'Namespaced' ? `namespaces/${NAMESPACE}/` : ''}${names.plural}`;
}

function sampleObject({ spec: { group, names } }: PublishedCrd, version: PublishedVersion, isFull: boolean): object {
  const sample = sampleOf(version.schema?.openAPIV3Schema ?? {}, isFull) as object;
  return { ...sample, apiVersion: `${group}/${version.name}`, kind: names.kind, metadata: { name: 'one' } };
}

/** Orders what Go orders by chance, and the conditions of definitions, whose order is that in which two controllers come first. */
function ordered(name: string, value: unknown): unknown {
  if (name === 'conditions' && isOfDefinition(value)) {
    return value.toSorted((one, other) => (one.type < other.type ? -1 : 1));
  }
  if (name === 'cells') return (value as unknown[]).map((cell) => (/^\d+s$/.test(String(cell)) ? '<age>' : cell));
  if (name === 'message' && typeof value === 'string')
    return value
      .split(/[ ,[\]]+/)
      .sort()
      .join(' ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isOfDefinition(conditions: unknown): conditions is readonly { readonly type: string }[] {
  return (
    Array.isArray(conditions) &&
    conditions.every((each) => CONDITION_TYPES.includes((each as { type?: unknown } | null)?.type))
  );
}
