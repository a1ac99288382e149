import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { LoggerService } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { EmbeddedKube } from 'embedded-kube';
import * as kopf from 'nestjs-kopf';
import {
  KopfModule,
  KopfOperator,
  KopfWatcher,
  KubeClient,
  getKubeApiToken,
  InjectKubeApi,
  OnCreate,
  OnEvent,
  OnLogin,
  type ConnectionInfo,
  type KopfModuleOptions,
  type LoginContext,
} from 'nestjs-kopf';
import { KopfHealthIndicator, KopfHealthModule } from 'nestjs-kopf/health';
import { KubeApi } from '../../../libs/kopf/src/client/api/api.client.js';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { createServerIdentity } from '../../../libs/embedded-kube/src/access/certificate.authority.js';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';

const TOKEN = 'secret-token-b7c1d9';
const OTHER_TOKEN = 'secret-other-token-4e8f02';
const PASSWORD = 'secret-password-93aa6c';
const SETTING = 'secret-setting-5d0e71';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const { privateKey: KEY, certificate: CERTIFICATE } = await createServerIdentity(Date.now(), ['client']);

/** All that must not be seen anywhere: as it is, and in the forms in which it is sent. */
const SECRETS = [
  TOKEN,
  OTHER_TOKEN,
  PASSWORD,
  SETTING,
  base64(`operator:${PASSWORD}`),
  base64(PASSWORD),
  base64(TOKEN),
  ...KEY.split('\n').filter((line) => line && !line.startsWith('---')),
  base64(KEY).slice(0, 60),
  base64(KEY).slice(-60),
];

/** Everything that is written by Nest's logger, at all levels, and to the output of the process. */
class Ear implements LoggerService {
  text = '';
  private readonly restore: (() => void)[] = [];

  constructor() {
    for (const stream of [process.stdout, process.stderr]) {
      const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        this.text += String(chunk);
        return true;
      });
      this.restore.push(() => spy.mockRestore());
    }
  }

  log(...args: unknown[]): void {
    this.hear(args);
  }
  error(...args: unknown[]): void {
    this.hear(args);
  }
  warn(...args: unknown[]): void {
    this.hear(args);
  }
  debug(...args: unknown[]): void {
    this.hear(args);
  }
  verbose(...args: unknown[]): void {
    this.hear(args);
  }
  fatal(...args: unknown[]): void {
    this.hear(args);
  }

  /** Looks at a value as thoroughly as one can. */
  look(value: unknown): void {
    this.hear([inspect(value, { depth: 8, showHidden: true, maxStringLength: null })]);
    this.hear([String(value), toJson(value)]);
  }

  /** Looks at an error, with its causes and all of their properties. */
  lookAt(error: unknown): void {
    this.look(error);
    for (let each = error; each instanceof Error; each = each.cause) {
      this.hear([each.message, each.stack, JSON.stringify(each, Object.getOwnPropertyNames(each))]);
    }
  }

  close(): void {
    for (const restore of this.restore) restore();
  }

  private hear(args: readonly unknown[]): void {
    for (const each of args) this.text += `${typeof each === 'string' ? each : inspect(each, { depth: 10 })}\n`;
  }
}

/** As JSON, as far as there are no circles. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

class Handlers {
  constructor(@InjectKubeApi(CoreV1Api) readonly core: CoreV1Api) {}

  @OnCreate('kopf.dev/v1', 'kopfexamples')
  create() {
    return 'created';
  }

  @OnEvent('kopf.dev/v1', 'kopfexamples')
  event() {}
}

/** The environment of a scenario: a server that knows none of the secrets, and a folder for files. */
interface Environment {
  readonly kube: EmbeddedKube;
  readonly folder: string;
  /** A server that answers whatever is asked with what it was asked. */
  readonly echo: string;
}

type Scenario = [
  name: string,
  options: (environment: Environment) => KopfModuleOptions,
  expected: RegExp,
  login?: (context: LoginContext, environment: Environment) => unknown,
];

const NOWHERE = 'https://127.0.0.1:1';

function kubeconfig(user: object, server = NOWHERE, cluster: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

function writePlugin(folder: string, script: string): { exec: object } {
  const command = join(folder, 'plugin.sh');
  writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return {
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      args: [SETTING],
      env: [{ name: 'SETTING', value: SETTING }],
      installHint: 'It can be installed.',
    },
  };
}

const printCredentials = (status: object): string =>
  `printf %s '${JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status })}'`;

const given = (credentials: KopfModuleOptions['credentials']): KopfModuleOptions => ({ credentials });
const at = ({ kube }: Environment, info: Partial<ConnectionInfo>): KopfModuleOptions =>
  given({ server: kube.url, insecure: true, ...info });

const SCENARIOS: Scenario[] = [
  ['a token that is not accepted', (s) => at(s, { token: TOKEN }), /401|does not accept/],
  // API servers do not look at other schemes than Bearer: the user is nobody.
  [
    'a password that is ignored',
    (s) => at(s, { username: 'operator', password: PASSWORD }),
    /User \\?"system:anonymous/,
  ],
  ['a scheme of its own', (s) => at(s, { scheme: 'Secret', token: TOKEN }), /User \\?"system:anonymous/],
  ['a kubeconfig as a text', ({ kube }) => given(kubeconfig({ token: TOKEN }, kube.url)), /does not accept/],
  [
    'a kubeconfig as a text, with a token and a password',
    ({ kube }) => given(kubeconfig({ token: TOKEN, password: PASSWORD, username: 'operator' }, kube.url)),
    /has a token and a password/,
  ],
  [
    'a KubeConfig',
    ({ kube }) => {
      const config = new KubeConfig();
      config.loadFromString(kubeconfig({ token: TOKEN }, kube.url));
      return given(config);
    },
    /does not accept/,
  ],
  ['a server that cannot be reached', () => given({ server: NOWHERE, token: TOKEN }), /connection refused/],
  [
    'a server whose URL has a password',
    () => given({ server: `https://operator:${PASSWORD}@127.0.0.1:1/path`, token: TOKEN }),
    /connection refused/,
  ],
  [
    'a server that is not trusted',
    ({ kube }) => given({ server: kube.url, token: TOKEN, privateKeyData: KEY }),
    /certificate/,
  ],
  [
    'a server of another name',
    ({ kube }) => given({ server: kube.url, caData: kube.caCertificate, tlsServerName: 'other', token: TOKEN }),
    /ALTNAME|does not match/i,
  ],
  ['a server that repeats everything', ({ echo }) => given({ server: echo, token: TOKEN }), /418|teapot|not JSON/i],
  ['an invalid URL', () => given({ server: `operator:${PASSWORD}`, token: TOKEN }), /not an http or https URL/],
  [
    'a proxy that cannot be reached',
    (s) => at(s, { token: TOKEN, proxyUrl: `http://operator:${PASSWORD}@127.0.0.1:1` }),
    /connection refused|no answer/,
  ],
  [
    'a proxy that refuses',
    (s) => at(s, { token: TOKEN, proxyUrl: s.echo.replace('//', `//operator:${PASSWORD}@`) }),
    /no answer/,
  ],
  [
    'a proxy with an invalid URL',
    (s) => at(s, { token: TOKEN, proxyUrl: `http://operator:${PASSWORD}@127.0.0.1:port` }),
    /The proxy of the credentials is not a URL/,
  ],
  [
    'a proxy of the environment with an invalid URL',
    (s) => {
      vi.stubEnv('https_proxy', `http://operator:${PASSWORD}@127.0.0.1:port`);
      return at(s, { token: TOKEN, trustEnv: true });
    },
    /Invalid URL/,
  ],
  [
    'a key without its certificate',
    (s) => at(s, { privateKeyData: KEY, certificateData: `${SETTING} is no certificate` }),
    /no answer|not usable/,
  ],
  [
    'a key that is broken',
    (s) => at(s, { privateKeyData: KEY.replaceAll('A', '!'), certificateData: CERTIFICATE }),
    /no answer|not usable/,
  ],
  [
    'a key that is broken and in base64',
    (s) => at(s, { privateKeyData: base64(KEY.slice(60)), certificateData: base64(CERTIFICATE) }),
    /no answer|not usable/,
  ],
  [
    'a client certificate that is not accepted',
    ({ kube }) =>
      given(kubeconfig({ 'client-certificate-data': base64(CERTIFICATE), 'client-key-data': base64(KEY) }, kube.url)),
    /no answer|does not accept|forbidden/i,
  ],
  [
    'contradictory credentials',
    (s) => at(s, { token: TOKEN, password: PASSWORD, privateKeyData: KEY, privateKeyPath: '/nowhere' }),
    /Only one of privateKeyPath and privateKeyData/,
  ],
  ['a token file that is missing', (s) => at(s, { token: TOKEN, tokenPath: '/nowhere/token' }), /does not accept/],
  [
    'a token file that is not accepted',
    (s) => {
      const tokenPath = join(s.folder, 'token');
      writeFileSync(tokenPath, TOKEN);
      return at(s, { tokenPath });
    },
    /does not accept/,
  ],
  [
    'options that are wrong',
    (s) => ({ ...at(s, { token: TOKEN }), namespaces: [] as string[], unknown: PASSWORD }) as KopfModuleOptions,
    /The options of KopfModule are wrong/,
  ],
  [
    'a plugin that is not there',
    () =>
      given(
        kubeconfig({ exec: { command: '/nowhere/plugin', args: [SETTING], env: [{ name: 'A', value: SETTING }] } }),
      ),
    /cannot be run/,
  ],
  [
    'a plugin that fails',
    ({ folder }) => given(kubeconfig(writePlugin(folder, `echo ${TOKEN}\necho "It does not work." >&2\nexit 3`))),
    /failed with exit code 3\. It does not work/,
  ],
  [
    'a plugin that prints something else',
    ({ folder }) => given(kubeconfig(writePlugin(folder, `echo '{"token": "${TOKEN}"'`))),
    /printed no credentials/,
  ],
  [
    'a plugin whose token is not accepted',
    ({ folder, kube }) => given(kubeconfig(writePlugin(folder, printCredentials({ token: TOKEN })), kube.url)),
    /does not accept/,
  ],
  [
    'a plugin whose key is of no use',
    ({ folder, kube }) => {
      const status = { clientCertificateData: 'no certificate', clientKeyData: KEY };
      return given(kubeconfig(writePlugin(folder, printCredentials(status)), kube.url));
    },
    /no answer|not usable/,
  ],
  [
    'an unknown auth provider',
    () =>
      given(
        kubeconfig({ 'auth-provider': { name: 'oidc', config: { 'id-token': TOKEN, 'client-secret': PASSWORD } } }),
      ),
    /auth provider oidc/,
  ],
  [
    'a kubeconfig that is no YAML',
    () => given(`users:\n- name: u\n  user: {token: ${TOKEN}\n  password: "${PASSWORD}\nclusters: [`),
    /not valid YAML/,
  ],
  [
    'a kubeconfig with secrets in wrong places',
    () => given(`apiVersion: v1\nusers: ${TOKEN}\nclusters: {a: ${PASSWORD}}\ncontexts: ["${SETTING}"]\n`),
    /no current context/,
  ],
  ['a kubeconfig that is a list', () => given(`- ${TOKEN}\n- ${PASSWORD}\n`), /not a kubeconfig/],
  [
    'a kubeconfig file that is no YAML',
    ({ folder }) => {
      const path = join(folder, 'config');
      writeFileSync(path, `users:\n- {token: ${TOKEN}\n  *${PASSWORD}: &`);
      return given(path);
    },
    /not valid YAML/,
  ],
  [
    'login handlers with credentials that are not accepted',
    () => ({ credentials: undefined }),
    /does not accept/,
    (_, { kube }) => ({ server: kube.url, insecure: true, token: TOKEN, priority: 5 }),
  ],
  [
    'login handlers with credentials that cannot be read',
    () => ({ credentials: undefined }),
    /not valid YAML/,
    () => `token: [${TOKEN}\n}`,
  ],
  [
    'login handlers with credentials that make no sense',
    () => ({ credentials: undefined }),
    /Only one of/,
    () => ({ server: NOWHERE, token: TOKEN, caData: 'a', caPath: 'b', privateKeyData: KEY }),
  ],
];

describe('Tokens, passwords, and keys', () => {
  let environment: Environment;
  let server: Server;

  beforeAll(async () => {
    const kube = await EmbeddedKube.start({ token: OTHER_TOKEN });
    const user = new ClusterUser(kube.transport());
    await user.create(DEFINITIONS, customResource());
    const folder = mkdtempSync(join(tmpdir(), 'kopf-secrets-'));
    server = createServer((request, response) => {
      response.writeHead(418, { 'x-repeated': JSON.stringify(request.headers) });
      response.end(JSON.stringify({ ...request.headers, path: request.url }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const echo = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    environment = { kube, folder, echo };
  });

  afterAll(async () => {
    await environment.kube.stop();
    rmSync(environment.folder, { recursive: true });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function makeModule(ear: Ear, options: KopfModuleOptions, login: Scenario[3]): Promise<TestingModule> {
    class Login {
      @OnLogin({ retries: 1 })
      login(context: LoginContext) {
        return login?.(context, environment);
      }
    }
    const networking = { errorBackoffs: [0.01], connectTimeout: 1, requestTimeout: 1 };
    return Test.createTestingModule({
      imports: [
        KopfHealthModule.forRoot(),
        KopfModule.forFeature({ apis: [CoreV1Api] }),
        KopfModule.forRoot({ networking, ...options }),
      ],
      providers: [Handlers, ...(login ? [Login] : [])],
    })
      .setLogger(ear)
      .compile();
  }

  /** Looks at all that an application can ask for, and at some of what is behind it. */
  async function lookAround(ear: Ear, module: TestingModule): Promise<void> {
    const classes = Object.values(kopf).filter((each) => typeof each === 'function') as never[];
    const services = [...classes, KopfHealthIndicator, Vault, KubeApi, getKubeApiToken(CoreV1Api), Handlers];
    let found = 0;
    for (const type of services) {
      let service: unknown;
      try {
        service = module.get(type as never, { strict: false });
      } catch {
        continue;
      }
      found += 1;
      ear.look(service);
    }
    expect(found).toBeGreaterThan(10);
    const operator = module.get(KopfOperator);
    for (const each of [operator.failure, operator.state, operator.pauseStatus]) ear.lookAt(each);
    for (const status of module.get(KopfWatcher).states) {
      ear.look(status);
      ear.lookAt(status.lastError);
    }
    const health = module.get(KopfHealthIndicator, { strict: false });
    ear.look(await health.isLive().catch((error: unknown) => error));
    ear.look(await health.isReady().catch((error: unknown) => error));
    ear.lookAt(module.get(Vault, { strict: false }).failure);
  }

  /** Makes requests as an application does, whose errors it can see. */
  async function makeRequests(ear: Ear, module: TestingModule): Promise<void> {
    const client = module.get(KubeClient);
    const core = module.get(Handlers).core;
    const requests = [
      () => client.get('pods.v1', 'web', { namespace: 'default' }),
      () => client.list('namespaces.v1'),
      () => client.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: '!' } }),
      () => core.readNamespacedPod({ name: 'web', namespace: 'default' }),
      async () => {
        for await (const each of client.watch('pods.v1', { signal: AbortSignal.timeout(50) })) ear.look(each);
      },
    ];
    for (const request of requests) await request().catch((error: unknown) => ear.lookAt(error));
  }

  const exposed = ({ text }: Ear): string[] =>
    SECRETS.filter((secret) => text.includes(secret)).map((secret) => {
      const index = text.indexOf(secret);
      return text.slice(Math.max(0, index - 300), index + 80);
    });

  it.each<Scenario>(SCENARIOS)('should not be seen anywhere with %s', async (_, makeOptions, expected, login) => {
    const ear = new Ear();
    try {
      let module: TestingModule | undefined;
      try {
        module = await makeModule(ear, makeOptions(environment), login);
        await module.init().catch((error: unknown) => ear.lookAt(error));
        await makeRequests(ear, module);
        await lookAround(ear, module);
      } catch (error) {
        ear.lookAt(error);
      }
      await module?.close();
    } finally {
      ear.close();
      vi.unstubAllEnvs();
    }
    expect(exposed(ear)).toEqual([]);
    expect(ear.text).toMatch(expected);
  });

  it('should not be seen anywhere when everything works, and then the credentials are revoked', async () => {
    const ear = new Ear();
    const { kube } = environment;
    const user = new ClusterUser(kube.transport());
    const objects = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
    try {
      const module = await makeModule(ear, at(environment, { token: OTHER_TOKEN }), undefined);
      await module.init();
      await module.get(KopfOperator).ready();
      await user.create(objects, { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a' } });
      await eventually('it is handled', async () => {
        const { status } = (await user.get(`${objects}/a`)) ?? {};
        return (status as { create?: string } | undefined)?.create === 'created';
      });
      await lookAround(ear, module);
      await makeRequests(ear, module);
      kube.faults.reject(401, { times: 1000 });
      await makeRequests(ear, module);
      await lookAround(ear, module);
      kube.faults.clear();
      await module.close();
    } finally {
      ear.close();
    }
    expect(exposed(ear)).toEqual([]);
    expect(ear.text).toMatch(/Handler 'create' succeeded/);
    expect(ear.text).toMatch(/does not accept/);
  });

  it('should be noticed if they are seen', () => {
    const ear = new Ear();
    ear.look({ deep: { token: TOKEN } });
    ear.lookAt(new Error('It failed.', { cause: Object.assign(new Error('Why'), { input: PASSWORD }) }));
    ear.debug(`${base64(`operator:${PASSWORD}`)}`);
    process.stderr.write(KEY);
    ear.close();
    expect(exposed(ear).length).toBeGreaterThan(4);
  });
});
