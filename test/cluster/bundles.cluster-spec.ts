import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { generateManifests, type ManifestOptions } from 'nestjs-kopf-cli';
import { cachedProgram } from '../conformance/clients/client.js';
import { normalise } from '../conformance/kubectl/output.normaliser.js';
import { APPS } from '../e2e/manifests/apps.js';
import { administrator, untilServed, type Definition } from '../support/clusters/cluster.access.js';
import { ClusterUser } from '../support/clusters/cluster.user.js';
import { startControlPlane, kubectlPath, type ControlPlane } from '../support/clusters/control-plane.js';
import { Kubectl } from '../support/clusters/kubectl.js';
import { applyManifest } from '../support/clusters/manifests.js';

/** The program that test/conformance/clients compiles and leaves in the cache. */
const HELM = 'helm-v3.19.0';

/** A time as Helm prints it. */
const TIME = /\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}/g;

const KINDS = ['deployments', 'services', 'roles', 'poddisruptionbudgets', 'networkpolicies', 'prometheusrules'];
const TEAM = ['-n', 'team'];
const LIST = [
  'get',
  KINDS.join(','),
  '-o=custom-columns=KIND:.kind,NAME:.metadata.name,SPEC:.spec,RULES:.rules',
  ...TEAM,
];

let folder: string;
let kube: EmbeddedKube;
let cluster: ControlPlane;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bundles-'));
  kube = await EmbeddedKube.start({ authorization: 'rbac', pods: true });
  kube.writeKubeconfig(join(folder, 'kubeconfig'));
  cluster = await startControlPlane({ node: true });
  for (const user of [administrator(cluster), new ClusterUser(kube.transport())]) {
    for (const definition of ['ServiceMonitor', 'PrometheusRule'].map(definePrometheus)) {
      await applyManifest(user, definition);
      await untilServed(user, definition);
    }
    await user.create('/api/v1/namespaces', { metadata: { name: 'team' } });
    await user.close();
  }
});

afterAll(async () => {
  await Promise.all([kube?.stop(), cluster?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** One of the CRDs of the Prometheus operator, as far as clients look at it. */
function definePrometheus(kind: string): Definition {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  } as object as Definition;
}

/** Writes the files of an application below a folder of its own. @returns the folder */
async function write(name: string, options: Partial<ManifestOptions>, more: Readonly<Record<string, string>> = {}) {
  const app = APPS[name];
  const { files } = await generateManifests(app.createModule(), { ...app.options, ...options });
  const root = join(folder, name, options.format!);
  const own = Object.entries(files).map(([path, text]) => [join('base', path), text]);
  for (const [path, text] of [...own, ...Object.entries(more)]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Runs commands on a real control plane and on embedded-kube. @returns what they have printed, the same on both */
async function runOnBoth(program: string, root: string, commands: readonly (readonly string[])[]): Promise<string> {
  const run = async (kubeconfig: string): Promise<string> => {
    const clients = [program, kubectlPath()].map((path) => new Kubectl(path, kubeconfig, root));
    const lines: string[] = [];
    for (const command of commands) {
      const isKubectl = command[0] === 'kubectl';
      const printed = await clients[isKubectl ? 1 : 0].run(isKubectl ? command.slice(1) : command);
      lines.push(`$ ${command.join(' ')}`, normalise(printed).replaceAll(TIME, '<time>'));
    }
    for (const client of clients) client.close();
    return lines.join('\n');
  };
  const [real, embedded] = await Promise.all([run(cluster.kubeconfigPath), run(join(folder, 'kubeconfig'))]);
  expect(embedded).toBe(real);
  return real;
}

/** Gives the path of Helm, or says why no chart is installed. */
async function findHelm(): Promise<string | undefined> {
  const helm = await cachedProgram(HELM, false, () => Promise.resolve());
  if (!helm)
    console.warn(`${HELM} is not in the cache, so that no chart is installed: npm run test:clients -- helm gets it.`);
  return helm;
}

/** One that serves the cluster, and one that serves a namespace, with metrics and webhooks. */
const NAMES = ['ephemeral-volume-claims', 'inventory-api'];

describe.each(NAMES)('The generated files of %s, on a real control plane and on embedded-kube', (name) => {
  const hasMetrics = name === 'inventory-api';

  it('should be a base that kubectl applies, and that an overlay changes', async () => {
    const overlay = {
      resources: ['../base'],
      ...(hasMetrics && { components: ['../base/monitoring'] }),
      namespace: 'team',
      replicas: [{ name, count: 3 }],
      images: [{ name: 'operator', newTag: '2.0' }],
    };
    const options = { format: 'kustomize', replicas: 2, image: 'operator:1.0', namespace: 'default' } as const;
    const root = await write(name, options, { 'overlay/kustomization.yaml': JSON.stringify(overlay) });
    const printed = await runOnBoth(kubectlPath(), root, [
      ['apply', '-k', 'base'],
      ['apply', '-k', 'base'],
      ['diff', '-k', 'base'],
      ['rollout', 'status', `deployment/${name}`],
      ['apply', '-k', 'overlay'],
      LIST,
      ['delete', '-k', 'overlay', '--ignore-not-found'],
      ['delete', '-k', 'base', '--ignore-not-found'],
    ]);
    expect(printed).not.toMatch(/^error|^Error|exit code|is invalid/m);
    expect(printed).toContain(`deployment.apps/${name} unchanged`);
    expect(printed).toMatch(/replicas:3 .*image:operator:2\.0/);
    expect(printed.includes('KopfOperatorFailed')).toBe(hasMetrics);
  });

  it('should be a chart that Helm installs, upgrades, and removes', async ({ skip }) => {
    const helm = await findHelm();
    if (!helm) return skip();
    const root = await write(name, { format: 'helm' });
    const monitoring = `monitoring.enabled=${hasMetrics}`;
    const printed = await runOnBoth(helm, root, [
      ['lint', 'base', '--strict'],
      ['install', 'shop', 'base', '--wait', '--set', 'image.tag=1.0', ...TEAM],
      ['upgrade', 'shop', 'base', '--wait', '--set', `image.tag=2.0,replicas=3,resources=null,${monitoring}`, ...TEAM],
      ['kubectl', ...LIST],
      ['history', 'shop', ...TEAM],
      ['uninstall', 'shop', '--wait', ...TEAM],
      ['kubectl', ...LIST],
      ['kubectl', 'delete', '-f', 'base/crds'],
    ]);
    expect(printed).not.toMatch(/^error|^Error|exit code|is invalid/m);
    expect(printed).toMatch(new RegExp(`replicas:3 .*image:\\S*${name}:2\\.0 `));
    expect(printed.includes('{{ $labels.operator }}')).toBe(hasMetrics);
  });
});

describe('A generated chart with the namespaces to serve, on a real control plane and on embedded-kube', () => {
  const name = 'ephemeral-volume-claims';
  const account = `system:serviceaccount:team:${name}`;
  const mayHandle = (namespace: string): readonly string[] => {
    const what = ['patch', 'ephemeralvolumeclaims.kopf.dev'];
    return ['kubectl', 'auth', 'can-i', ...what, `--as=${account}`, '-n', namespace];
  };
  const READ_VARIABLE = '-o=jsonpath={.spec.template.spec.containers[0].env[?(@.name=="WATCH_NAMESPACES")]}';
  const INSTALLED: readonly (readonly string[])[] = [
    ['kubectl', 'get', 'deployment', name, READ_VARIABLE, ...TEAM],
    ...['blue', 'team', 'red'].map(mayHandle),
    ...['blue', 'team', 'red'].map((namespace) => ['kubectl', 'get', 'roles,rolebindings', '-o=name', '-n', namespace]),
    ['kubectl', 'get', `clusterrole/${name}`, '--ignore-not-found', '-o=name'],
  ];

  it('should let the operator work in these only, or everywhere', async ({ skip }) => {
    const helm = await findHelm();
    if (!helm) return skip();
    const root = await write(name, { format: 'helm', namespacesVariable: 'WATCH_NAMESPACES' });
    // The namespace of the release is among those that are served, too.
    const limited = ['--set', 'namespaces={blue,team}'];
    const everywhere = ['--set', 'namespaces=null'];
    const printed = await runOnBoth(helm, root, [
      ['kubectl', 'create', 'namespace', 'blue'],
      ['kubectl', 'create', 'namespace', 'red'],
      ['lint', 'base', '--strict', ...limited],
      ['install', 'shop', 'base', '--wait', ...limited, ...TEAM],
      ...INSTALLED,
      ['upgrade', 'shop', 'base', '--wait', ...everywhere, ...TEAM],
      ...INSTALLED,
      ['upgrade', 'shop', 'base', '--wait', '--set', 'namespaces={red}', ...TEAM],
      ...INSTALLED,
      ['uninstall', 'shop', '--wait', ...TEAM],
      ...['blue', 'team', 'red'].map(mayHandle),
      ['kubectl', 'delete', '-f', 'base/crds'],
    ]);
    expect(printed).not.toMatch(/^error|^Error|is invalid/m);
    expect(printed.match(/^clusterrole\.rbac.*$/gm)).toEqual([`clusterrole.rbac.authorization.k8s.io/${name}`]);
    expect(answersOf(printed)).toEqual(['yes yes no', 'yes yes yes', 'no no yes', 'no no no']);
    const variables = [...printed.matchAll(/"value":"([^"]*)"/g)].map(([, value]) => value);
    expect(variables.filter(Boolean)).toEqual(['blue,team', 'red']);
  });

  /** Gives the answers for the three namespaces, each time that they were asked for. */
  function answersOf(printed: string): readonly string[] {
    const answers = [...printed.matchAll(/^\$ kubectl auth can-i .*\n(yes|no)\b/gm)].map(([, answer]) => answer);
    return Array.from({ length: answers.length / 3 }, (_, index) => answers.slice(index * 3, index * 3 + 3).join(' '));
  }
});
