import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { KubeApi } from '../../../libs/kopf/src/client/api/api.client.js';
import { HttpTransport } from '../../../libs/kopf/src/client/http/http.transport.js';
import { KubeConfigLogin } from '../../../libs/kopf/src/client/vault/kubeconfig.login.js';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { SeededRandom, SystemClock } from 'kube-common';
import { KopfSettings } from '../../../libs/kopf/src/settings/kopf.settings.js';
import { kubectlPath } from '../../support/clusters/control-plane.js';
import { Kubectl } from '../../support/clusters/kubectl.js';
import { MemoryLogger } from '../../support/telemetry/memory.logger.js';

const V1 = 'client.authentication.k8s.io/v1';
const REFUSED = 'refused';

/** What the API server says of the user, and what the plugin was told; or that there is no access. */
type Outcome = typeof REFUSED | { readonly user: unknown; readonly told?: unknown };

interface Config {
  kind?: string;
  apiVersion?: string;
  'current-context'?: string;
  clusters: { name: string; cluster: Record<string, any> }[];
  users: { name: string; user: Record<string, any> }[];
  contexts: { name: string; context: Record<string, any> }[];
  [field: string]: unknown;
}

/** A server, with a kubeconfig whose user has a token and may do everything. */
export interface KubeconfigServer {
  readonly kubeconfig: string;
  readonly token: string;
  stop(): Promise<unknown>;
}

/** Compares what becomes of kubeconfigs with the real kubectl, field by field, on a server. */
export function describeKubeconfigFields(title: string, start: () => Promise<KubeconfigServer>): void {
  const isInstalled = spawnSync(kubectlPath(), ['version', '--client']).status === 0;
  describe.skipIf(!isInstalled)(title, () => {
    let kube: KubeconfigServer;
    let folder: string;

    beforeAll(async () => {
      kube = await start();
      folder = mkdtempSync(join(tmpdir(), 'kopf-kubeconfig-'));
      const { cluster } = read().clusters[0];
      writeFileSync(join(folder, 'ca.crt'), Buffer.from(cluster['certificate-authority-data'], 'base64'));
      writeFileSync(join(folder, 'token'), kube.token);
      writeFileSync(join(folder, 'wrong'), 'wrong');
    });
    afterAll(async () => {
      await kube.stop();
      rmSync(folder, { recursive: true });
    });

    const read = (): Config => {
      const config = load(kube.kubeconfig) as Config;
      const [{ cluster }] = config.clusters;
      const path = cluster['certificate-authority'];
      if (path) cluster['certificate-authority-data'] = readFileSync(path).toString('base64');
      delete cluster['certificate-authority'];
      return config;
    };

    /** A plugin that notes what it is told, and prints this. */
    const plugin = (status: object, version = V1): string => {
      const answer = JSON.stringify({ apiVersion: version, kind: 'ExecCredential', status });
      const script = `#!/bin/sh\nprintf '%s' "$KUBERNETES_EXEC_INFO" > told\necho '${answer}'\n`;
      writeFileSync(join(folder, 'plugin'), script, { mode: 0o755 });
      return './plugin';
    };

    const takeTold = (): unknown => {
      const path = join(folder, 'told');
      if (!existsSync(path)) return undefined;
      const { spec, apiVersion } = JSON.parse(readFileSync(path, 'utf8'));
      rmSync(path);
      return { apiVersion, ...spec };
    };

    const write = (name: string, config: Config): string => {
      const path = join(folder, name);
      writeFileSync(path, dump(config));
      return path;
    };

    async function ofKubectl(paths: string): Promise<Outcome> {
      const kubectl = new Kubectl(kubectlPath(), paths, folder);
      const output = await kubectl.run(['auth', 'whoami', '-o', 'json']);
      kubectl.close();
      const told = takeTold();
      if (!output.startsWith('{')) return REFUSED;
      return { user: JSON.parse(output).status.userInfo, ...(told !== undefined && { told }) };
    }

    async function ofOurs(paths: string): Promise<Outcome> {
      const clock = new SystemClock();
      const settings = new KopfSettings();
      const logger = new MemoryLogger();
      const login = async () => new Map([['kubeconfig', (await new KubeConfigLogin({ clock, paths }).login())!]]);
      const vault = new Vault({
        login,
        createTransport: (info) => new HttpTransport(info, settings, clock),
        clock,
        random: new SeededRandom(1),
        logger,
      });
      const home = process.cwd();
      process.chdir(folder);
      try {
        const api = new KubeApi(vault, settings.networking, clock, logger);
        const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
        const answer = await api.post<any>('/apis/authentication.k8s.io/v1/selfsubjectreviews', review, {
          retries: false,
        });
        const told = takeTold();
        return { user: answer.status.userInfo, ...(told !== undefined && { told }) };
      } catch {
        takeTold();
        return REFUSED;
      } finally {
        process.chdir(home);
        await vault.close();
      }
    }

    const exec = (
      config: Config,
      changes: { readonly command?: string; readonly [field: string]: unknown } = {},
    ): void => {
      const command = changes.command ?? plugin({ token: kube.token });
      config.users[0].user = { exec: { apiVersion: V1, interactiveMode: 'Never', ...changes, command } };
    };
    const user = (config: Config, fields: object): void => void Object.assign(config.users[0].user, fields);
    const cluster = (config: Config, fields: object): void => void Object.assign(config.clusters[0].cluster, fields);

    const ROWS: readonly (readonly [string, (config: Config) => void, 'taken' | 'refused'])[] = [
      ['as it is', () => {}, 'taken'],
      ['without kind and apiVersion', (c) => (delete c.kind, delete c.apiVersion), 'taken'],
      ['of another kind', (c) => (c.kind = 'Foo'), 'refused'],
      ['of another version', (c) => (c.apiVersion = 'v2'), 'refused'],
      ['with fields that nobody knows', (c) => (cluster(c, { foo: 1 }), user(c, { bar: 2 }), (c.baz = 3)), 'taken'],
      ['current-context: that is not there', (c) => (c['current-context'] = 'other'), 'refused'],
      ['contexts: of a cluster that is not there', (c) => (c.contexts[0].context.cluster = 'other'), 'refused'],
      ['contexts: of a user that is not there', (c) => (c.contexts[0].context.user = 'other'), 'refused'],
      ['contexts: namespace', (c) => (c.contexts[0].context.namespace = 'team'), 'taken'],
      [
        'contexts: extensions',
        (c) => (c.contexts[0].context.extensions = [{ name: 'x', extension: { a: 1 } }]),
        'taken',
      ],
      ['clusters: no server', (c) => delete c.clusters[0].cluster.server, 'refused'],
      [
        'clusters: a server without its scheme',
        (c) => cluster(c, { server: c.clusters[0].cluster.server.replace('https://', '') }),
        'refused',
      ],
      [
        'clusters: certificate-authority, relative to the file',
        (c) => cluster(c, { 'certificate-authority-data': undefined, 'certificate-authority': 'ca.crt' }),
        'taken',
      ],
      [
        'clusters: certificate-authority that is missing',
        (c) => cluster(c, { 'certificate-authority-data': undefined, 'certificate-authority': 'nowhere' }),
        'refused',
      ],
      ['clusters: no authority', (c) => cluster(c, { 'certificate-authority-data': undefined }), 'refused'],
      [
        'clusters: insecure-skip-tls-verify',
        (c) => cluster(c, { 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true }),
        'taken',
      ],
      [
        'clusters: insecure-skip-tls-verify with an authority',
        (c) => cluster(c, { 'insecure-skip-tls-verify': true }),
        'refused',
      ],
      ['clusters: tls-server-name', (c) => cluster(c, { 'tls-server-name': 'kubernetes.default.svc' }), 'taken'],
      [
        'clusters: tls-server-name of another',
        (c) => cluster(c, { 'tls-server-name': 'other.example.com' }),
        'refused',
      ],
      ['clusters: proxy-url where nothing is', (c) => cluster(c, { 'proxy-url': 'http://127.0.0.1:1' }), 'refused'],
      ['clusters: proxy-url without a scheme', (c) => cluster(c, { 'proxy-url': '127.0.0.1:1' }), 'refused'],
      ['clusters: proxy-url of another scheme', (c) => cluster(c, { 'proxy-url': 'ftp://127.0.0.1:1' }), 'refused'],
      ['clusters: disable-compression', (c) => cluster(c, { 'disable-compression': true }), 'taken'],
      ['users: token that is wrong', (c) => user(c, { token: 'wrong' }), 'refused'],
      ['users: tokenFile', (c) => user(c, { token: undefined, tokenFile: 'token' }), 'taken'],
      ['users: tokenFile that is missing', (c) => user(c, { token: undefined, tokenFile: 'nowhere' }), 'refused'],
      ['users: tokenFile over token', (c) => user(c, { token: 'wrong', tokenFile: 'token' }), 'taken'],
      ['users: tokenFile that is wrong over token', (c) => user(c, { tokenFile: 'wrong' }), 'refused'],
      ['users: tokenFile that is missing, and token', (c) => user(c, { tokenFile: 'nowhere' }), 'taken'],
      ['users: username and token', (c) => user(c, { username: 'a', password: 'b' }), 'refused'],
      [
        'users: client-certificate without a key',
        (c) => user(c, { token: undefined, 'client-certificate': 'ca.crt' }),
        'refused',
      ],
      ['users: as', (c) => user(c, { as: 'alice' }), 'taken'],
      [
        'users: as, as-groups, as-uid, as-user-extra',
        (c) =>
          user(c, {
            as: 'alice',
            'as-groups': ['devs', 'ops, too'],
            'as-uid': 'u-7',
            'as-user-extra': { reason: ['drill'], 'example.com/A é%': ['1', '2'] },
          }),
        'taken',
      ],
      ['users: as-groups alone', (c) => user(c, { 'as-groups': ['devs'] }), 'refused'],
      ['users: as-uid alone', (c) => user(c, { 'as-uid': 'u' }), 'refused'],
      ['users: as-user-extra alone', (c) => user(c, { 'as-user-extra': { a: ['b'] } }), 'refused'],
      [
        'users: auth-provider that is not known',
        (c) => (c.users[0].user = { 'auth-provider': { name: 'gcp', config: {} } }),
        'refused',
      ],
      ['users: extensions', (c) => user(c, { extensions: [{ name: 'x', extension: { a: 1 } }] }), 'taken'],
      ['exec', (c) => exec(c), 'taken'],
      [
        'exec: v1beta1',
        (c) => exec(c, { apiVersion: `${V1}beta1`, command: plugin({ token: kube.token }, `${V1}beta1`) }),
        'taken',
      ],
      ['exec: v1alpha1', (c) => exec(c, { apiVersion: `${V1}alpha1` }), 'refused'],
      [
        'exec: an answer of another version',
        (c) => exec(c, { command: plugin({ token: kube.token }, `${V1}beta1`) }),
        'refused',
      ],
      [
        'exec: args and env',
        (c) =>
          exec(c, {
            command: '/bin/sh',
            args: ['-c', '$RUN'],
            env: [{ name: 'RUN', value: plugin({ token: kube.token }) }],
          }),
        'taken',
      ],
      ['exec: env without a name', (c) => exec(c, { env: [{ value: 'x' }] }), 'refused'],
      ['exec: no such command', (c) => exec(c, { command: 'no-such-plugin', installHint: 'Install it.' }), 'refused'],
      ['exec: a command that fails', (c) => exec(c, { command: 'false' }), 'refused'],
      ['exec: IfAvailable', (c) => exec(c, { interactiveMode: 'IfAvailable' }), 'taken'],
      ['exec: Always', (c) => exec(c, { interactiveMode: 'Always' }), 'refused'],
      ['exec: Sometimes', (c) => exec(c, { interactiveMode: 'Sometimes' }), 'refused'],
      [
        'exec: and a token',
        (c) => user(c, { exec: { apiVersion: V1, command: 'false', interactiveMode: 'Never' } }),
        'taken',
      ],
      [
        'exec: and an auth-provider',
        (c) => (exec(c), user(c, { 'auth-provider': { name: 'oidc', config: {} } })),
        'refused',
      ],
      ['exec: as', (c) => (exec(c), user(c, { as: 'alice', 'as-groups': ['devs'] })), 'taken'],
      ['exec: provideClusterInfo', (c) => exec(c, { provideClusterInfo: true }), 'taken'],
      [
        'exec: provideClusterInfo, with an authority in a file, and with extensions',
        (c) => {
          cluster(c, {
            'certificate-authority-data': undefined,
            'certificate-authority': 'ca.crt',
            'tls-server-name': 'kubernetes.default.svc',
            'disable-compression': true,
            extensions: [
              { name: 'other', extension: { a: 1 } },
              { name: 'client.authentication.k8s.io/exec', extension: { audience: 'shoot-1', list: [1, { b: null }] } },
            ],
          });
          exec(c, { provideClusterInfo: true });
        },
        'taken',
      ],
      [
        'exec: provideClusterInfo without verification',
        (c) => {
          cluster(c, { 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true });
          exec(c, { provideClusterInfo: true });
        },
        'taken',
      ],
      ['exec: status without anything', (c) => exec(c, { command: plugin({}) }), 'refused'],
      [
        'exec: clientCertificateData without clientKeyData',
        (c) => exec(c, { command: plugin({ clientCertificateData: 'x' }) }),
        'refused',
      ],
      [
        'exec: expirationTimestamp in the future',
        (c) => exec(c, { command: plugin({ token: kube.token, expirationTimestamp: '2999-01-01T00:00:00Z' }) }),
        'taken',
      ],
      [
        'exec: expirationTimestamp in the past',
        (c) => exec(c, { command: plugin({ token: kube.token, expirationTimestamp: '2001-01-01T00:00:00Z' }) }),
        'taken',
      ],
    ];

    it.each(ROWS)('%s', async (_, change, expected) => {
      const config = read();
      change(config);
      const path = write('config', JSON.parse(JSON.stringify(config)));
      const [theirs, ours] = [await ofKubectl(path), await ofOurs(path)];
      expect(ours).toEqual(theirs);
      expect(ours === REFUSED ? 'refused' : 'taken').toBe(expected);
    });

    it('should be merged out of several files, the first of which wins, without those that are missing', async () => {
      const [first, second] = [read(), read()];
      first.users[0].user = {};
      user(first, { token: kube.token, as: 'from-the-first' });
      second.users[0].user = { token: 'wrong', as: 'from-the-second' };
      second['current-context'] = 'other';
      const { clusters, contexts, ...others } = first;
      const paths = [
        write('users', { ...others, clusters: [], contexts: [] }),
        join(folder, 'missing'),
        write('rest', { ...second, contexts }),
      ].join(':');
      expect(clusters).toHaveLength(1);
      const outcome = await ofOurs(paths);
      expect(outcome).toEqual(await ofKubectl(paths));
      expect(outcome).toMatchObject({ user: { username: 'from-the-first' } });
    });
  });
}
