import type { KubeClient, KubeObject } from 'nestjs-kopf';
import {
  generateManifests,
  readGrants,
  verifyPermissions,
  type GeneratedManifests,
  type ObservedPermissions,
} from 'nestjs-kopf/manifests';
import { Demo } from '../../../apps/ephemeral-volume-claims/src/demo.js';
import { readManifests } from '../../support/manifests.js';
import { APPS, EXHIBITS, type App } from './apps.js';
import { PermittedCluster } from './permitted.cluster.js';

type Scenario = (cluster: PermittedCluster, administrator: KubeClient) => Promise<void>;

const namespace = 'default';

/** The events while each application runs, so that it uses all that it may. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'ephemeral-volume-claims': ({ clock }, client) =>
    new Demo({ client, clock, report: () => undefined, patience: 10 }).run(),
  'load-tests': async ({ clock }, client) => {
    const samples = readManifests('load-tests/samples.yaml');
    for (const sample of samples) await client.create({ ...sample, metadata: { ...sample.metadata, namespace } });
    await clock.advance(3000);
    const [pod] = (await client.list('pods', { namespace, labelSelector: 'example.org/load-test=example-02' })).items;
    await client.patch(
      'pods',
      pod.metadata.name!,
      { status: { phase: 'Failed' } },
      { namespace, subresource: 'status' },
    );
    await clock.advance(3000);
    const test: KubeObject = await client.get('loadtests', 'example-02', { namespace });
    expect(test.status).toMatchObject({ state: 'failed' });
    await client.delete('loadtests', 'example-02', { namespace });
    await clock.advance(3000);
    expect((await client.list('loadtests', { namespace })).items).toEqual([]);
  },
  'inventory-api': async (cluster, client) => {
    const { clock } = cluster;
    const [sample] = readManifests('inventory-api/sample.yaml');
    const configuration = () => client.get<Configuration>('validatingwebhookconfigurations', 'inventory.example.com');
    await cluster.until(async () => !!(await configuration().catch(() => undefined))?.webhooks?.length);
    await client.create({ ...sample, metadata: { ...sample.metadata, namespace } });
    await clock.advance(3000);
    const item: KubeObject = await client.get('inventoryitems', sample.metadata.name!, { namespace });
    expect(item.status).toMatchObject({ inStock: true });
    await client.delete('inventoryitems', sample.metadata.name!, { namespace });
    await clock.advance(3000);
    expect((await client.list('inventoryitems', { namespace })).items).toEqual([]);
  },
};

interface Configuration extends KubeObject {
  readonly webhooks?: readonly object[];
}

interface Role extends KubeObject {
  readonly rules: readonly object[];
}

async function run(name: string, app: App, objects: readonly KubeObject[]) {
  const cluster = await PermittedCluster.start(app.options.name, app.options.crds ?? []);
  try {
    await cluster.create(objects);
    return await cluster.run(app.createModule, (administrator) => SCENARIOS[name](cluster, administrator));
  } finally {
    await cluster.stop();
  }
}

describe.each(Object.entries(APPS))('The generated rules of the application %s', (name, app) => {
  const account = { name: app.options.name, namespace };
  let objects: readonly KubeObject[];
  let required: GeneratedManifests['permissions'];
  let optional: GeneratedManifests['optional'];

  beforeAll(async () => {
    const generated = await generateManifests(app.createModule(), app.options);
    ({ optional } = generated);
    objects = generated.objects['rbac.yaml'];
    required = generated.permissions;
    expect(generated.warnings).toEqual([]);
  });

  it('should be those of its manifests', async () => {
    const { files } = await generateManifests(app.createModule(), app.options);
    await expect(files['rbac.yaml']).toMatchFileSnapshot(`../../../k8s/${name}/rbac.yaml`);
    expect(verifyPermissions({ required, ...readGrants(objects, account) })).toEqual([]);
  });

  it('should permit all that it does, and nothing that it does not do', async () => {
    const { observed, error } = await run(name, app, objects);
    if (error) throw error;
    const findings = verifyPermissions({ required, optional, observed });
    expect(observed.refused.every(({ resource }) => resource === 'customresourcedefinitions')).toBe(true);
    expect(findings.filter(({ kind }) => kind !== 'unused')).toEqual([]);
    // A rule of which not even one verb was used would not be needed.
    for (const { rules } of (objects as Role[]).filter((object) => 'rules' in object)) {
      for (const rule of rules) expect(isUsed(rule, observed), JSON.stringify(rule)).toBe(true);
    }
  });

  it('should each be missed when it is taken out', async () => {
    for (const [index, role] of (objects as Role[]).entries()) {
      for (const rule of role.rules ?? []) {
        const rest = { ...role, rules: role.rules.filter((other) => other !== rule) };
        const changed = objects.with(index, rest);
        const findings = verifyPermissions({ required, ...readGrants(changed, account) });
        expect(findings.map(({ kind }) => kind)).toEqual(findings.map(() => 'missing'));
        expect(findings.flatMap(({ permissions }) => permissions).length).toBeGreaterThan(0);
        expect(findings.every((finding) => finding.permissions.every((each) => isIn(rule, each)))).toBe(true);
        const { observed } = await run(name, app, changed);
        expect(observed.refused.filter((each) => isIn(rule, each)).length, JSON.stringify(rule)).toBeGreaterThan(0);
      }
    }
  });
});

interface Named {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

function isIn(rule: object, { group, resource, verb }: Named): boolean {
  const { apiGroups, resources, verbs } = rule as Record<string, readonly string[]>;
  return apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb);
}

function isUsed(rule: object, { used }: ObservedPermissions): boolean {
  return used.some((each) => isIn(rule, each));
}

describe('The rules of the gallery', () => {
  const objects = readManifests('gallery/rbac.yaml');
  const account = { name: 'gallery', namespace };

  it('should be what its applications need together', async () => {
    const generated = await Promise.all(
      Object.values(EXHIBITS).map((app) => generateManifests(app.createModule(), app.options)),
    );
    const required = generated.flatMap(({ permissions }) => permissions);
    const { granted } = readGrants(objects, account);
    expect(verifyPermissions({ required, granted }).map(({ message }) => message)).toEqual([]);
  });
});
