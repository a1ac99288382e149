import { eventually } from '../../support/time/eventually.js';
import { UnexpectedStatusError } from '../../support/clusters/cluster.user.js';
import type { TestCluster } from '../test.cluster.js';
import { WebhookServer } from '../webhooks/webhook.server.js';

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';
const PODS = '/api/v1/namespaces/connections/pods';
const RULE = { operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'] };

/** Declares the tests of reviews of those who connect with a pod, a service, or a node through the server. */
export function describeConnections(title: string, start: () => Promise<TestCluster>): void {
  describe(title, () => {
    let cluster: TestCluster;
    let webhooks: WebhookServer;

    beforeAll(async () => {
      cluster = await start();
      webhooks = await WebhookServer.start(['127.0.0.1']);
      const { user } = cluster;
      await user.create('/api/v1/namespaces', { metadata: { name: 'connections' } });
    }, 120_000);

    afterAll(async () => {
      await cluster?.stop();
      await webhooks?.stop();
    }, 60_000);

    /** Connects; returns why that is refused, as nothing can be reached in these clusters. */
    async function connect(path: string): Promise<string> {
      try {
        await cluster.user.create(path, {});
      } catch (error) {
        if (error instanceof UnexpectedStatusError) return error.message;
        throw error;
      }
      return 'It is open.';
    }

    it('should be asked of webhooks, with the options of the connection', async () => {
      webhooks.behave('/connect', ({ name }) =>
        name === 'secret' ? { allowed: false, status: { code: 403, message: 'No shells here.' } } : { allowed: true },
      );
      const { port, caBundle } = webhooks;
      await cluster.user.create(`${REGISTRATION}/validatingwebhookconfigurations`, {
        metadata: { name: 'connections' },
        webhooks: [
          {
            name: 'connect.conformance.example',
            rules: [{ ...RULE, resources: ['pods/exec', 'pods/attach', 'pods/portforward', '*/proxy'] }],
            clientConfig: { url: `https://127.0.0.1:${port}/connect`, caBundle },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      });
      await eventually('the webhook is asked', async () => {
        return (await connect(`${PODS}/secret/exec?command=id`)).includes('No shells here.');
      });
      for (const path of ['exec?command=id', 'attach', 'portforward?ports=80', 'proxy/a']) {
        expect(await connect(`${PODS}/secret/${path}`)).toContain(
          'admission webhook \\"connect.conformance.example\\" denied the request: No shells here.',
        );
      }
      webhooks.received.length = 0;
      for (const path of [
        `${PODS}/p/exec?command=id&command=-u&container=c&stdout=true`,
        `${PODS}/p/attach?stdin=true&tty=true`,
        `${PODS}/p/portforward?ports=80&ports=81`,
        `${PODS}/https:p:443/proxy/a/b`,
        '/api/v1/namespaces/connections/services/web:http/proxy/c',
        '/api/v1/nodes/n/proxy/d',
      ]) {
        expect(await connect(path)).not.toContain('denied');
      }
      const seen = webhooks.received.map(({ review }) => {
        const { request } = review as { request: Record<string, any> };
        const { operation, kind, resource, subResource, name, namespace, object, oldObject, dryRun, options } = request;
        return [
          `${operation} ${resource.resource}/${subResource} ${kind.kind}`,
          namespace,
          name,
          object,
          [oldObject, dryRun, options],
        ];
      });
      const rest = [null, false, null];
      const options = (kind: string, fields: object): object => ({ kind, apiVersion: 'v1', ...fields });
      const namespace = 'connections';
      const command = ['id', '-u'];
      expect(seen).toEqual([
        [
          'CONNECT pods/exec PodExecOptions',
          namespace,
          'p',
          options('PodExecOptions', { command, container: 'c', stdout: true }),
          rest,
        ],
        [
          'CONNECT pods/attach PodAttachOptions',
          namespace,
          'p',
          options('PodAttachOptions', { stdin: true, tty: true }),
          rest,
        ],
        [
          'CONNECT pods/portforward PodPortForwardOptions',
          namespace,
          'p',
          options('PodPortForwardOptions', { ports: [80, 81] }),
          rest,
        ],
        [
          'CONNECT pods/proxy PodProxyOptions',
          namespace,
          'https:p:443',
          options('PodProxyOptions', { path: '/a/b' }),
          rest,
        ],
        [
          'CONNECT services/proxy ServiceProxyOptions',
          namespace,
          'web:http',
          options('ServiceProxyOptions', { path: '/c' }),
          rest,
        ],
        ['CONNECT nodes/proxy NodeProxyOptions', undefined, 'n', options('NodeProxyOptions', { path: '/d' }), rest],
      ]);
      await cluster.user.delete(`${REGISTRATION}/validatingwebhookconfigurations/connections`);
    });

    it('should be asked of policies', async () => {
      const { user } = cluster;
      await user.create(`${REGISTRATION}/validatingadmissionpolicies`, {
        metadata: { name: 'no-shells' },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: { resourceRules: [{ ...RULE, resources: ['pods/exec'] }] },
          validations: [
            { expression: "!object.command[0].endsWith('sh')", message: 'No shells here.', reason: 'Forbidden' },
          ],
        },
      });
      await user.create(`${REGISTRATION}/validatingadmissionpolicybindings`, {
        metadata: { name: 'no-shells' },
        spec: { policyName: 'no-shells', validationActions: ['Deny'] },
      });
      await eventually('the policy is in effect', async () => {
        return (await connect(`${PODS}/p/exec?command=/bin/sh`)).includes('No shells here.');
      });
      expect(await connect(`${PODS}/p/exec?command=id`)).toContain('not found');
      expect(await connect(`${PODS}/p/attach`)).toContain('not found');
    });
  });
}
