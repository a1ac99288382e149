import { eventually } from '../../support/time/eventually.js';
import type { TestCluster } from '../test.cluster.js';
import { AccessClient, type Case } from './access.client.js';

const ADMIN = {};
const LEVEL = 'pod-security.kubernetes.io/enforce';
const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'a', image: 'a' }], ...spec },
});
const forbidden = (standard: string, violations: string) => ({
  reason: 'Forbidden',
  message: `pods "p" is forbidden: violates PodSecurity "${standard}": ${violations}`,
});

const EVERYTHING = pod('p', {
  hostNetwork: true,
  hostPID: true,
  securityContext: {
    runAsUser: 0,
    runAsNonRoot: false,
    sysctls: [{ name: 'kernel.msgmax', value: '1' }],
    seLinuxOptions: { type: 'foo', user: 'u' },
    seccompProfile: { type: 'Unconfined' },
  },
  volumes: [
    { name: 'h', hostPath: { path: '/' } },
    { name: 'n', nfs: { server: 's', path: '/' } },
  ],
  containers: [
    {
      name: 'a',
      image: 'a',
      ports: [{ containerPort: 80, hostPort: 80 }],
      livenessProbe: { tcpSocket: { port: 1, host: '1.2.3.4' } },
      securityContext: { privileged: true, runAsUser: 0, capabilities: { add: ['NET_ADMIN', 'CHOWN'] } },
    },
    { name: 'b', image: 'b' },
  ],
});
const HARMLESS = pod('p', {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'a',
      image: 'a',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } },
    },
  ],
});
const PLAIN_VIOLATIONS =
  'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

const CASES: readonly Case[] = [
  [
    'baseline',
    ADMIN,
    'POST',
    pods('base'),
    EVERYTHING,
    403,
    forbidden(
      'baseline:latest',
      'non-default capabilities (container "a" must not include "NET_ADMIN" in securityContext.capabilities.add), host namespaces (hostNetwork=true, hostPID=true), hostPath volumes (volume "h"), hostPort (container "a" uses hostPort 80), probe or lifecycle host (container "a" uses probe or lifecycle host "1.2.3.4"), privileged (container "a" must not set securityContext.privileged=true), seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "foo"; user may not be set), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined"), forbidden sysctls (kernel.msgmax)',
    ),
  ],
  [
    'restricted',
    ADMIN,
    'POST',
    pods('strict'),
    EVERYTHING,
    403,
    forbidden(
      'restricted:latest',
      'host namespaces (hostNetwork=true, hostPID=true), hostPort (container "a" uses hostPort 80), probe or lifecycle host (container "a" uses probe or lifecycle host "1.2.3.4"), privileged (container "a" must not set securityContext.privileged=true), seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "foo"; user may not be set), forbidden sysctls (kernel.msgmax), allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN", "NET_ADMIN" in securityContext.capabilities.add), restricted volume types (volumes "h", "n" use restricted volume types "hostPath", "nfs"), runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "a" must not set runAsUser=0), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ),
  ],
  [
    'restricted, for a plain pod',
    ADMIN,
    'POST',
    pods('strict'),
    pod('p'),
    403,
    forbidden('restricted:latest', PLAIN_VIOLATIONS),
  ],
  ['restricted, for a harmless pod', ADMIN, 'POST', pods('strict'), HARMLESS, 201, { kind: 'Pod' }],
  ['baseline, for a plain pod', ADMIN, 'POST', pods('base'), pod('p'), 201, { kind: 'Pod' }],
  [
    'what is no standard',
    ADMIN,
    'POST',
    '/api/v1/namespaces',
    { metadata: { name: 'x', labels: { [LEVEL]: 'restrict', 'pod-security.kubernetes.io/warn-version': 'v1' } } },
    422,
    {
      message:
        'Namespace "x" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "restrict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "v1": must be "latest" or "v1.x"]',
    },
  ],
];

/** Declares the tests of pod security for the administrator of a cluster whose pods nobody runs. */
export function describeSecurity(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let client: AccessClient;
    beforeAll(async () => {
      cluster = await start();
      client = new AccessClient(cluster.credentials);
      const levels = { base: 'baseline', strict: 'restricted', free: 'privileged' };
      for (const [name, level] of Object.entries(levels)) {
        await client.create('/api/v1/namespaces', { metadata: { name, labels: { [LEVEL]: level } } });
        await client.send('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
      }
      await eventually('the standard is in effect', async () => {
        const { status } = await client.send('POST', `${pods('strict')}?dryRun=All`, pod('p'));
        return status === 403;
      });
    }, 120_000);
    afterAll(async () => {
      await client?.close();
      await cluster?.stop();
    }, 60_000);

    it.each(CASES)('should enforce %s', (...each) => client.check(each));

    it('should warn of workloads whose pods would be rejected', async () => {
      const { spec } = pod('p');
      const template = { metadata: { labels: { a: 'b' } }, spec };
      const path = '/apis/apps/v1/namespaces/strict/deployments?dryRun=All';
      const body = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
      const { status, warnings } = await client.warned('POST', path, body);
      expect([status, warnings]).toEqual([201, [`would violate PodSecurity "restricted:latest": ${PLAIN_VIOLATIONS}`]]);
    });

    it('should warn of pods that a namespace would not take any more', async () => {
      for (const name of ['q', 'p']) await client.create(pods('free'), pod(name));
      await client.create(pods('free'), pod('r', { hostNetwork: true }));
      const labels = { [LEVEL]: 'restricted' };
      const reasons =
        'allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile';
      const namespace = '/api/v1/namespaces/free';
      const body = { metadata: { labels } };
      // The real server looks at pods that it has seen in a watch.
      await eventually('the server has seen all pods', async () => {
        return (await client.warned('PATCH', `${namespace}?dryRun=All`, body)).warnings.length === 3;
      });
      const { status, warnings } = await client.warned('PATCH', namespace, body);
      expect([status, warnings]).toEqual([
        200,
        [
          'existing pods in namespace "free" violate the new PodSecurity enforce level "restricted:latest"',
          `p (and 1 other pod): ${reasons}`,
          `r: host namespaces, ${reasons}`,
        ],
      ]);
    });
  });
}
