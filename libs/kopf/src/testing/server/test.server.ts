import { randomUUID } from 'node:crypto';
import { GivenLogin } from '../../client/vault/given.login.js';
import { HttpTransport } from '../../client/http/http.transport.js';
import { type Clock, type KubeTransport, SeededRandom, SystemClock } from 'kube-common';
import { KopfSettings } from '../../settings/kopf.settings.js';
import type { EmbeddedServer } from './embedded.server.js';
import { TestWebhooks } from './test.webhooks.js';

/** The API server of a test. */
export interface TestServer {
  /** The address of the server, for log lines. */
  readonly url: string;
  /** The namespace of the test, for objects that are given none. */
  readonly namespace: string;
  /** Is true if other tests use the server, too: so the namespace is created, and all that the test leaves is deleted. */
  readonly isShared: boolean;
  /** Is there if the server is in the process. */
  readonly embedded?: EmbeddedServer;
  /** The webhooks that bring reviews to the operator in virtual time; without them, its own server of webhooks does. */
  readonly webhooks?: TestWebhooks;
  /** Makes a way to the server. @param token whose requests they are. @default the administrator's */
  connect(token?: string): KubeTransport;
  close(): Promise<void>;
}

/** The package of the API server, which is imported on demand: tests of single handlers do not need it. */
const PACKAGE: string = 'embedded-kube';

/**
 * Starts an API server in the process.
 *
 * @throws Error if `embedded-kube` is not installed.
 */
export async function startEmbeddedServer(clock: Clock, options: object = {}): Promise<TestServer> {
  const { EmbeddedKube } = await importEmbeddedKube();
  const random = new SeededRandom(1);
  const webhooks = clock instanceof SystemClock ? undefined : new TestWebhooks();
  const given = { logger: SILENT, random, webhookTransport: webhooks, ...options };
  const embedded = await EmbeddedKube.start({ ...given, clock, port: false });
  return {
    url: embedded.url,
    namespace: 'default',
    isShared: false,
    embedded,
    webhooks,
    connect: (token) => embedded.transport(token),
    close: () => embedded.stop(),
  };
}

/** Connects with a real cluster. @param kubeconfig the path of a kubeconfig file, or its text */
export async function connectRealServer(kubeconfig: string, clock: Clock): Promise<TestServer> {
  const info = await new GivenLogin(kubeconfig, clock).login();
  const settings = new KopfSettings();
  const transports: KubeTransport[] = [];
  const connect = (token?: string): KubeTransport => {
    const { server, caData, caPath } = info;
    const transport = new HttpTransport(
      token === undefined ? info : { server, caData, caPath, token },
      settings,
      clock,
    );
    transports.push(transport);
    return transport;
  };
  return {
    url: info.server,
    namespace: `kopf-test-${randomUUID().slice(0, 8)}`,
    isShared: true,
    connect,
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}

/** @param load imports the package. */
export async function importEmbeddedKube(
  load: () => Promise<unknown> = () => import(PACKAGE),
): Promise<EmbeddedKubePackage> {
  try {
    return (await load()) as EmbeddedKubePackage;
  } catch (error) {
    // Jest has another code.
    if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
    throw new Error(
      'KopfTest needs an API server: install the package embedded-kube (npm install --save-dev embedded-kube), or name a cluster by ' +
        'KOPF_TEST_KUBECONFIG.',
      { cause: error },
    );
  }
}

/** The exports of `embedded-kube` that the test server uses. */
export interface EmbeddedKubePackage {
  readonly EmbeddedKube: { start(options: object): Promise<EmbeddedServer> };
}

/** The logger that prints nothing: errors show in the answers. */
const SILENT = { debug: () => {}, log: () => {}, info: () => {}, warn: () => {}, error: () => {} };
