import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { failure } from '../../../../../test/support/time/eventually.js';
import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import { CredentialsError, LoginError, type ConnectionInfo } from './connection-info.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { createDefaultLogin } from './default.login.js';
import { GivenLogin, type GivenCredentials } from './given.login.js';
import { KubeConfigLogin } from './kubeconfig.login.js';
import { ServiceAccountLogin } from './service-account.login.js';

const SECRET = 'c2VjcmV0';

function config(user: object, cluster: object = {}, rest: object = {}): string {
  return JSON.stringify({
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'one', user: 'me', namespace: 'team' } }],
    clusters: [{ name: 'one', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'me', user }],
    ...rest,
  });
}

const plugin = (script: string, rest: object = {}): object => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', script], ...rest },
});

describe('credentials', () => {
  const clock = new VirtualClock();
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kopf-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    return path;
  };

  const login = async (text: string): Promise<ConnectionInfo | undefined> =>
    new KubeConfigLogin({ clock, paths: await write('config', text) }).login();

  describe('of a kubeconfig', () => {
    it.each<[string, object, object, Partial<ConnectionInfo>]>([
      ['a token', { token: 'abc' }, {}, { token: 'abc' }],
      ['a user and a password', { username: 'me', password: 'x' }, {}, { username: 'me', password: 'x' }],
      ['data over files', { 'client-key-data': 'a', 'client-key': '/b' }, {}, { privateKeyData: 'a' }],
      ['an impersonated user', { token: 'a', as: 'jane' }, {}, { token: 'a', impersonateUser: 'jane' }],
      [
        'a cluster with everything',
        {},
        {
          'certificate-authority-data': 'Y2E=',
          'tls-server-name': 'kube',
          'proxy-url': 'http://127.0.0.1:3128',
          'disable-compression': true,
          extensions: [{ name: 'x', extension: {} }],
        },
        { caData: 'Y2E=', tlsServerName: 'kube', proxyUrl: 'http://127.0.0.1:3128' },
      ],
      ['a server without verification', {}, { 'insecure-skip-tls-verify': true }, { insecure: true }],
      ['a host without a scheme', {}, { server: 'host:6443' }, { server: 'http://host:6443' }],
      [
        'an impersonated user with everything',
        { as: 'jane', 'as-uid': 'u', 'as-groups': ['a', 'b'], 'as-user-extra': { reason: ['x', 'y'] } },
        {},
        {
          impersonateUser: 'jane',
          impersonateUid: 'u',
          impersonateGroups: ['a', 'b'],
          impersonateExtra: { reason: ['x', 'y'] },
        },
      ],
      ['a token, and no plugin', { token: 'abc', exec: { command: 'false' } }, {}, { token: 'abc' }],
      [
        'a token whose file is missing',
        { token: 'abc', tokenFile: '/nowhere' },
        {},
        { token: 'abc', tokenPath: '/nowhere' },
      ],
      ['a password, and no plugin', { username: 'me', exec: { command: 'false' } }, {}, { username: 'me' }],
      ['nothing at all', { 'as-groups': [], 'as-user-extra': {}, exec: null }, { extensions: null }, {}],
      [
        'absolute files',
        { 'client-certificate': '/c', 'client-key': '/k' },
        { 'certificate-authority': '/ca' },
        { certificatePath: '/c', privateKeyPath: '/k', caPath: '/ca' },
      ],
    ])('should be %s', async (_, user, cluster, expected) => {
      expect(await login(config(user, cluster))).toEqual({
        server: 'https://127.0.0.1:6443',
        defaultNamespace: 'team',
        priority: 10,
        ...expected,
      });
    });

    it('should take relative paths from the folder of the file', async () => {
      await write('tokens/me', 'abc\n');
      const user = { 'client-certificate': 'certs/me.crt', 'client-key': './me.key', tokenFile: 'tokens/me' };
      expect(await login(config(user, { 'certificate-authority': 'ca.crt' }))).toMatchObject({
        caPath: join(folder, 'ca.crt'),
        certificatePath: join(folder, 'certs/me.crt'),
        privateKeyPath: join(folder, 'me.key'),
        tokenPath: join(folder, 'tokens/me'),
        token: 'abc',
      });
    });

    it('should merge several files, the first of which wins, and skip missing ones', async () => {
      const first = await write(
        'a/config',
        'current-context: other\nclusters: [{name: one, cluster: {server: "https://a"}}]',
      );
      const second = await write(
        'b/config',
        config(
          { token: 'b' },
          { server: 'https://b' },
          { 'current-context': 'main', contexts: [{ name: 'other', context: { cluster: 'one', user: 'me' } }] },
        ),
      );
      const empty = await write('c/config', '');
      const KUBECONFIG = [join(folder, 'missing'), first, empty, second].join(delimiter);
      expect(await new KubeConfigLogin({ clock, environment: { KUBECONFIG } }).login()).toEqual({
        server: 'https://a',
        token: 'b',
        priority: 10,
      });
    });

    it('should come from the home folder if nothing else is said, or from nowhere', async () => {
      const environment = { HOME: folder };
      expect(await new KubeConfigLogin({ clock, environment }).login()).toBeUndefined();
      await write('.kube/config', config({ token: 'home' }));
      expect(await new KubeConfigLogin({ clock, environment }).login()).toMatchObject({ token: 'home' });
    });

    it('should be those of another context if asked for', async () => {
      const contexts = [
        { name: 'main', context: { cluster: 'one', user: 'me' } },
        { name: 'second', context: { cluster: 'one', user: 'you' } },
      ];
      const users = [{ name: 'you', user: { token: 'yours' } }];
      const paths = await write('config', config({}, {}, { contexts, users }));
      expect(await new KubeConfigLogin({ clock, paths, context: 'second' }).login()).toMatchObject({ token: 'yours' });
    });

    it.each<[string, string, string]>([
      ['no current context', config({}, {}, { 'current-context': '' }), 'has no current context'],
      ['an unknown current context', config({}, {}, { 'current-context': 'x' }), 'has no context "x"'],
      ['an unknown cluster', config({}, {}, { clusters: [] }), 'has no cluster "one" of the context "main"'],
      ['an unknown user', config({}, {}, { users: [] }), 'has no user "me" of the context "main"'],
      ['no server', config({}, { server: '' }), 'names no server for the cluster "one"'],
      ['no YAML', `users:\n- token: "${SECRET}\n`, 'is not valid YAML (line '],
      ['something else', `- ${SECRET}`, 'is not a kubeconfig'],
      ['a missing token file', config({ tokenFile: 'nowhere' }), 'Cannot read the token file'],
      ['another kind', config({}, {}, { kind: 'Foo' }), 'is no Config of v1'],
      ['another version', config({}, {}, { apiVersion: 'v2' }), 'is no Config of v1'],
    ])('should be refused with %s, by the name of the file', async (_, text, message) => {
      const error = await failure(login(text));
      expect(error).toBeInstanceOf(CredentialsError);
      expect(error.message).toContain(message);
      expect(error.message).toContain(folder);
      expect(error.message).not.toContain(SECRET);
    });

    it.each<[string, object, object, string]>([
      ['a token and a password', { token: SECRET, username: 'a' }, {}, 'has a token and a password'],
      ['a token file and a password', { tokenFile: 'x', password: SECRET }, {}, 'has a token and a password'],
      ['groups without a user', { 'as-groups': ['a'] }, {}, 'has as-groups, but no user to act as (as)'],
      ['a uid without a user', { 'as-uid': 'a' }, {}, 'has as-uid, but no user to act as (as)'],
      ['attributes without a user', { 'as-user-extra': { a: ['b'] } }, {}, 'has as-user-extra, but no user to act as'],
      ['a certificate without a key', { 'client-certificate': 'a' }, {}, 'has a client certificate without its key'],
      [
        'a plugin and a provider',
        { exec: { command: 'a' }, 'auth-provider': { name: 'oidc' } },
        {},
        'has a plugin (exec)',
      ],
      [
        'an authority and no verification',
        {},
        { 'insecure-skip-tls-verify': true, 'certificate-authority': 'ca' },
        'has a certificate authority and insecure-skip-tls-verify',
      ],
      [
        'a plugin of an old version',
        { exec: { command: 'a', apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
        {},
        'v1alpha1, which is none of',
      ],
      ['a plugin that asks', { exec: { command: 'a', interactiveMode: 'Always' } }, {}, 'has to ask a user'],
      [
        'an unknown mode',
        { exec: { command: 'a', interactiveMode: 'Sometimes' } },
        {},
        'unknown interactiveMode Sometimes',
      ],
      [
        'a variable without a name',
        { exec: { command: 'a', env: [{ value: SECRET }] } },
        {},
        'has a variable without a name',
      ],
      ['a plugin without a command', { exec: {} }, {}, 'has no command'],
    ])('should be refused as by kubectl with %s', async (_, user, cluster, message) => {
      const error = await failure(login(config(user, cluster)));
      expect(error).toBeInstanceOf(CredentialsError);
      expect(error.message).toContain(message);
      expect(error.message).not.toContain(SECRET);
    });

    it('should be refused if the named file does not exist', async () => {
      const KUBECONFIG = join(folder, 'nowhere');
      await expect(new KubeConfigLogin({ clock, environment: { KUBECONFIG } }).login()).rejects.toThrow(
        `No such kubeconfig: ${KUBECONFIG}.`,
      );
    });
  });

  describe('of a plugin', () => {
    it('should come with their expiration', async () => {
      const status = { token: SECRET, expirationTimestamp: '2021-01-01T00:00:00Z' };
      const script = `console.log(JSON.stringify({ kind: 'ExecCredential', status: ${JSON.stringify(status)} }))`;
      expect(await login(config(plugin(script)))).toMatchObject({
        token: SECRET,
        expiration: new Date('2021-01-01T00:00:00Z'),
      });
    });

    it('should be certificates too, by a command beside the file, with its environment and the cluster', async () => {
      await write(
        'bin/login',
        `#!${process.execPath}
        const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
        const status = { clientCertificateData: info.spec.cluster.server, clientKeyData: process.env.EXTRA };
        console.log(JSON.stringify({ kind: 'ExecCredential', status }));`,
      );
      const { chmod } = await import('node:fs/promises');
      await chmod(join(folder, 'bin/login'), 0o755);
      const exec = { command: './bin/login', env: [{ name: 'EXTRA', value: 'key' }], provideClusterInfo: true };
      expect(await login(config({ exec }))).toMatchObject({
        certificateData: 'https://127.0.0.1:6443',
        privateKeyData: 'key',
      });
    });

    it.each<[string, object, string]>([
      [
        'fails',
        plugin('console.log("c2VjcmV0"); console.error("session expired"); process.exit(3)'),
        'failed with exit code 3. session expired',
      ],
      ['prints something else', plugin('console.log("c2VjcmV0")'), 'has printed no credentials.'],
      [
        'prints half of a certificate',
        plugin(
          'console.log(JSON.stringify({ kind: "ExecCredential", status: { clientCertificateData: "c2VjcmV0" } }))',
        ),
        'has printed a certificate or a key without the other.',
      ],
      [
        'answers in another version',
        plugin(
          'console.log(JSON.stringify({ kind: "ExecCredential", apiVersion: "v9", status: { token: "c2VjcmV0" } }))',
        ),
        'has not answered in the apiVersion client.authentication.k8s.io/v1.',
      ],
      ['prints nothing', plugin(''), 'has printed no credentials.'],
      [
        'prints without an end',
        plugin("const more = () => process.stdout.write('c2VjcmV0'.repeat(8192), more); more();"),
        'printed more than 1 MiB, which are no credentials.',
      ],
      [
        'does not exist',
        plugin('', { command: 'kopf-no-such-plugin', installHint: 'Install it.' }),
        'cannot be run: ENOENT. Install it.',
      ],
    ])('should be refused if it %s, without what it printed', async (_, user, message) => {
      const error = await failure(login(config(user)));
      expect(error).toBeInstanceOf(CredentialsError);
      expect(error.message).toContain(message);
      expect(error.message).not.toContain(SECRET);
    });

    it('should be refused if it takes too long', async () => {
      const time = new VirtualClock();
      const paths = await write('config', config(plugin('setInterval(() => {}, 1000)')));
      const result = failure(new KubeConfigLogin({ clock: time, paths }).login());
      while (!time.pending) await time.settle();
      await time.advance(60_000);
      expect((await result).message).toContain('took longer than 60 seconds');
    });
  });

  describe('of a service account', () => {
    const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

    it('should be read from the mounted folder', async () => {
      await write('token', 'abc\n');
      await write('namespace', 'team\n');
      await write('ca.crt', 'pem');
      expect(await new ServiceAccountLogin({ folder, environment }).login()).toEqual({
        server: 'https://127.0.0.1:443',
        token: 'abc',
        tokenPath: join(folder, 'token'),
        caPath: join(folder, 'ca.crt'),
        defaultNamespace: 'team',
        priority: 20,
      });
    });

    it.each([
      [{}, 'https://kubernetes.default.svc'],
      [{ KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '6443' }, 'https://[::1]:6443'],
    ])('should name the server by the environment %o', async (env, server) => {
      await write('token', 'abc');
      expect(await new ServiceAccountLogin({ folder, environment: env }).login()).toMatchObject({ server });
    });

    it('should not exist outside of pods', async () => {
      expect(await new ServiceAccountLogin({ folder, environment }).login()).toBeUndefined();
    });
  });

  describe('that are given', () => {
    const info = { server: 'https://127.0.0.1:6443', token: 'abc' };

    const kubeConfig = (): KubeConfig => {
      const result = new KubeConfig();
      result.loadFromString(config({ token: 'abc' }, { 'tls-server-name': 'kube' }));
      return result;
    };

    it.each<[string, () => GivenCredentials | Promise<GivenCredentials>, Partial<ConnectionInfo>]>([
      ['fields', () => info, {}],
      ['the text of a kubeconfig', () => config({ token: 'abc' }), {}],
      ['a path of a kubeconfig', () => write('given', config({ token: 'abc' })), {}],
      ["the official client's object", kubeConfig, { tlsServerName: 'kube' }],
    ])('can be %s', async (_, given, expected) => {
      expect(await new GivenLogin(await given(), clock).login()).toMatchObject({ ...info, ...expected });
    });

    it("can be the official client's object with an authenticator, whose token is asked for each time", async () => {
      let count = 0;
      const given = new KubeConfig();
      given.addAuthenticator({
        isAuthProvider: (user) => user.authProvider?.name === 'mine',
        applyAuthentication: async (_, options) => {
          options.headers = { ...options.headers, Authorization: `Bearer token-${++count}` } as any;
        },
      });
      given.loadFromString(config({ 'auth-provider': { name: 'mine' } }));
      const source = new GivenLogin(given, clock);
      expect(await source.login()).toMatchObject({ token: 'token-1' });
      expect(await source.login()).toMatchObject({ token: 'token-2' });
    });

    it('can be of a user with a JSON web token of OIDC, with its expiration', async () => {
      const part = (data: object): string => Buffer.from(JSON.stringify(data)).toString('base64url');
      const exp = Math.floor(Date.UTC(2100, 0, 1) / 1000);
      const token = `${part({ alg: 'none' })}.${part({ exp })}.signature`;
      const text = config({ 'auth-provider': { name: 'oidc', config: { 'id-token': token } } });
      expect(await new GivenLogin(text, clock).login()).toMatchObject({ token, expiration: new Date(exp * 1000) });
    });
  });

  describe('by default', () => {
    const create = (logger = new MemoryLogger(), environment: Record<string, string> = { HOME: folder }) =>
      createDefaultLogin(
        new KubeConfigLogin({ clock, environment }),
        new ServiceAccountLogin({ folder: join(folder, 'account'), environment }),
        logger,
      );

    it('should be all that there are', async () => {
      await write('account/token', 'pod');
      await write('.kube/config', config({ token: 'file' }));
      const infos = await create()();
      expect([...infos].map(([key, { token, priority }]) => [key, token, priority])).toEqual([
        ['service-account', 'pod', 20],
        ['kubeconfig', 'file', 10],
      ]);
    });

    it('should say what was looked for if there are none', async () => {
      const error = await failure(create()());
      expect(error).toBeInstanceOf(LoginError);
      expect(error.message).toMatch(/^There is no cluster to connect to: KUBECONFIG is not set/);
    });

    it('should not need a working kubeconfig in a pod, but outside of pods', async () => {
      await write('.kube/config', '{}');
      await expect(create()()).rejects.toThrow('has no current context');
      await write('account/token', 'pod');
      const logger = new MemoryLogger();
      expect([...(await create(logger)()).keys()]).toEqual(['service-account']);
      expect(logger.messages('warn')[0]).toContain('has no current context');
    });
  });
});
