import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { kubectlPath } from '../../../support/clusters/control-plane.js';
import { Kubectl } from '../../../support/clusters/kubectl.js';
import { normalise } from '../../kubectl/output.normaliser.js';
import { cachedProgram, type Client, output } from '../client.js';

const VERSION = 'v3.19.0';
const IN_TEAM = ['-n', 'team'];
const OBJECTS = 'deployments,statefulsets,services,configmaps,shelves,jobs,serviceaccounts,roles,poddisruptionbudgets';
const STATE = `-o=custom-columns=KIND:.kind,NAME:.metadata.name,GENERATION:.metadata.generation,LABELS:.metadata.labels,\
REPLICAS:.spec.replicas,READY:.status.readyReplicas,DATA:.data,SPEC:.spec.color,MANAGERS:.metadata.managedFields[*].manager`;

/** Commands, each by Helm unless it begins with `kubectl`; `shop` is the release, `.` the chart. */
const COMMANDS: readonly (readonly string[])[] = [
  ['template', 'shop', '.', '--validate', ...IN_TEAM],
  ['install', 'shop', '.', '--create-namespace', '--wait', '--wait-for-jobs', ...IN_TEAM],
  ['kubectl', 'get', OBJECTS, STATE, ...IN_TEAM],
  ['list', ...IN_TEAM, '--time-format', '2006'],
  ['install', 'shop', '.', ...IN_TEAM],
  ['install', 'copy', '.', '--dry-run=server', ...IN_TEAM],
  ['status', 'shop', '--show-resources', ...IN_TEAM],
  ['test', 'shop', ...IN_TEAM],
  ['upgrade', 'shop', '.', '--set', 'replicas=3,image=shop:2', '--wait', ...IN_TEAM],
  ['kubectl', 'get', OBJECTS, STATE, ...IN_TEAM],
  ['upgrade', 'shop', '.', '--set', 'selector=other', ...IN_TEAM],
  ['upgrade', 'shop', '.', '--set', 'color=red', ...IN_TEAM],
  ['upgrade', 'shop', '.', '--set', 'replicas=many', '--atomic', ...IN_TEAM],
  ['kubectl', 'scale', 'deployment/shop', '--replicas=5', ...IN_TEAM],
  ['rollback', 'shop', '1', '--wait', ...IN_TEAM],
  ['kubectl', 'rollout', 'status', 'deployment/shop', ...IN_TEAM],
  ['kubectl', 'get', OBJECTS, STATE, ...IN_TEAM],
  ['history', 'shop', ...IN_TEAM],
  ['upgrade', 'shop', '.', '--install', '--reset-values', '--force', '--set', 'color=blue', ...IN_TEAM],
  ['get', 'all', 'shop', ...IN_TEAM],
  ['get', 'metadata', 'shop', ...IN_TEAM],
  ['kubectl', 'get', 'secrets', '--field-selector', 'type=helm.sh/release.v1', '--show-labels', ...IN_TEAM],
  ['kubectl', 'delete', 'service', 'shop', ...IN_TEAM],
  ['uninstall', 'shop', '--wait', '--keep-history', ...IN_TEAM],
  ['kubectl', 'get', OBJECTS, STATE, ...IN_TEAM],
  ['list', '--all', ...IN_TEAM, '--time-format', '2006'],
  ['uninstall', 'shop', ...IN_TEAM],
  ['kubectl', 'get', 'crd', 'shelves.helm.example.com', STATE],
];

/** Helm, with a chart that has what charts usually have: a CRD, hooks, a test, lookups. */
export const helm: Client = {
  name: 'helm',
  async prepare(isAllowed) {
    const program = await cachedProgram(`helm-${VERSION}`, isAllowed, install);
    if (!program) return `Helm ${VERSION} is not in the cache`;
    return async (kubeconfig) => {
      const chart = join(import.meta.dirname, 'chart');
      const [byHelm, byKubectl] = [new Kubectl(program, kubeconfig, chart), new Kubectl(kubectlPath(), kubeconfig)];
      const lines: string[] = [];
      try {
        for (const command of COMMANDS) {
          const isKubectl = command[0] === 'kubectl';
          const printed = await (isKubectl ? byKubectl.run(command.slice(1)) : byHelm.run(command));
          const seen = normalised(printed).split('\n');
          // Helm goes through the kinds in the random order of a map.
          lines.push(`$ ${command.join(' ')}`, ...(command.includes('--show-resources') ? seen.sort() : seen));
        }
      } finally {
        byHelm.close();
        byKubectl.close();
      }
      return lines;
    };
  },
};

/** Compiles Helm from its module. */
async function install(path: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-'));
  try {
    const env = { GOBIN: folder, CGO_ENABLED: '0' };
    await output('go', ['install', '-ldflags=-s -w', `helm.sh/helm/v3/cmd/helm@${VERSION}`], { cwd: folder, env });
    await cp(join(folder, 'helm'), join(dirname(path), `helm-${VERSION}`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes out what differs between two runs, or between the ways in which Go and JavaScript print an object. */
function normalised(printed: string): string {
  return normalise(printed)
    .replaceAll(/^E<time> reflector\.go.*context canceled.*\n?/gm, '')
    .replaceAll(/map\[ca\.crt:[^\]]*\]/g, 'map[ca.crt:<certificate>]')
    .replaceAll(/(patch: Invalid value: ").*(?=": json:)/g, '$1<object>')
    .replaceAll(/\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*[-+]\d\d:\d\d/g, '<time>')
    .replaceAll(/\bmodifiedAt=\d+/g, 'modifiedAt=<time>');
}
