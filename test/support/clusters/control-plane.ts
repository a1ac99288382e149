import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../programs/free.port.js';

/** A running control plane. */
export interface ControlPlane {
  /** A kubeconfig whose user may do everything. */
  readonly kubeconfigPath: string;
  readonly url: string;
  /** The bearer token of the kubeconfig's user. */
  readonly token: string;
  /** The certificate of the API server, which signed itself. */
  readonly caFile: string;
  /** Stops the API server, calls back while it is down, and starts it again. Resolves when it is ready. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Stops all processes and removes their data. */
  stop(): Promise<void>;
}

/** The components that run beside etcd and the API server. */
export interface ControlPlaneOptions {
  /** The controllers: garbage collection, namespaces, jobs; all of them, or those that are named. @default true */
  readonly controllers?: boolean | readonly string[];
  /** A scheduler and a simulated node, so that pods run. @default false */
  readonly node?: boolean;
  /** The feature gates of the API server, as for its command line. @default its own */
  readonly featureGates?: string;
  /** The admission plugins of the API server besides those that are on by default. @default none */
  readonly admissionPlugins?: readonly string[];
  /** Stands between the API server and etcd: takes the port of etcd, and gives the one for the API server. @default nothing */
  readonly etcd?: (port: number) => Promise<number>;
  /** The client certificate that the API server presents to webhooks, in PEM. @default none */
  readonly webhookClient?: { readonly cert: string; readonly key: string };
}

/** The folder of the binaries (etcd, kube-apiserver, …), undefined if `KUBEBUILDER_ASSETS` does not name one. */
function controlPlaneAssets(): string | undefined {
  const folder = process.env.KUBEBUILDER_ASSETS;
  return folder && existsSync(join(folder, 'kube-apiserver')) ? folder : undefined;
}

/** The kubectl of the assets, or the one of the PATH. */
export function kubectlPath(): string {
  const folder = process.env.KUBEBUILDER_ASSETS;
  return folder && existsSync(join(folder, 'kubectl')) ? join(folder, 'kubectl') : 'kubectl';
}

/**
 * Starts a real control plane on free ports of the loopback address, with its state in a temporary folder.
 *
 * @throws Error if there are no binaries, or the API server is not ready within a minute
 */
export async function startControlPlane({
  controllers = true,
  node = false,
  etcd,
  featureGates,
  admissionPlugins,
  webhookClient,
}: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const assets = controlPlaneAssets();
  if (!assets) throw new Error('KUBEBUILDER_ASSETS names no folder with kube-apiserver');
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const processes = new ProcessGroup(assets, folder);
  const [port, etcdPort, peerPort] = await findFreePorts(3);
  let storagePort = etcdPort;
  const url = `https://127.0.0.1:${port}`;
  const token = randomBytes(16).toString('hex');
  const caFile = join(folder, 'certs', 'apiserver.crt');
  const kubeconfigPath = join(folder, 'kubeconfig');
  const stop = async (): Promise<void> => {
    await processes.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const startApiServer = (): void => {
    const gates = featureGates ? [`--feature-gates=${featureGates}`] : [];
    const plugins = admissionPlugins ? [`--enable-admission-plugins=${admissionPlugins.join(',')}`] : [];
    processes.start('kube-apiserver', [...apiServerArguments(folder, port, storagePort), ...gates, ...plugins]);
  };
  const restart = async (meanwhile?: () => Promise<void>): Promise<void> => {
    await processes.stopOne('kube-apiserver');
    await meanwhile?.();
    startApiServer();
    await untilReady(url, token, processes);
  };
  try {
    writeKeys(folder, token);
    if (webhookClient) writeWebhookClient(folder, webhookClient);
    writeFileSync(kubeconfigPath, kubeconfig(url, caFile, token));
    processes.start('etcd', etcdArguments(folder, etcdPort, peerPort));
    storagePort = (await etcd?.(etcdPort)) ?? etcdPort;
    startApiServer();
    await untilReady(url, token, processes);
    const config = `--kubeconfig=${kubeconfigPath}`;
    if (controllers) {
      const key = `--service-account-private-key-file=${join(folder, 'sa.key')}`;
      const certificates = `--cert-dir=${join(folder, 'certs-controllers')}`;
      processes.start('kube-controller-manager', [
        config,
        key,
        '--leader-elect=false',
        certificates,
        '--secure-port=0',
        ...(controllers === true ? [] : [`--controllers=${controllers.join(',')}`]),
      ]);
    }
    if (node) {
      processes.start('kube-scheduler', [config, '--leader-elect=false', '--secure-port=0']);
      const stages = `--config=${join(assets, 'kwok-stages.yaml')}`;
      processes.start('kwok', [config, '--manage-all-nodes=true', stages, '--node-lease-duration-seconds=40']);
      const name = 'kwok-node-0';
      const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { type: 'kwok' } } };
      await send(url, token, 'POST', '/api/v1/nodes', body);
    }
    await untilServiceAccount(url, token, controllers === true);
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubeconfigPath, url, token, caFile, restart, stop };
}

class ProcessGroup {
  private readonly children: { name: string; child: ChildProcess }[] = [];

  constructor(
    private readonly assets: string,
    private readonly folder: string,
  ) {}

  start(name: string, args: readonly string[]): void {
    const log = openSync(join(this.folder, `${name}.log`), 'w');
    const child = spawn(join(this.assets, name), args, { stdio: ['ignore', log, log], cwd: this.folder });
    this.children.push({ name, child });
  }

  /** @throws Error with the end of its log if one of them has ended */
  check(): void {
    for (const { name, child } of this.children) {
      if (child.exitCode === null && child.signalCode === null) continue;
      const log = readFileSync(join(this.folder, `${name}.log`), 'utf8');
      throw new Error(`${name} ended: ${log.slice(-2000)}`);
    }
  }

  /** Ends etcd last, and what does not end within two seconds by force. */
  async stop(): Promise<void> {
    for (const { child } of this.children.reverse()) await end(child);
  }

  /** Ends one process, so that another one can be started with its name. */
  async stopOne(name: string): Promise<void> {
    const index = this.children.findIndex((each) => each.name === name);
    const [found] = this.children.splice(index, 1);
    await end(found.child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
  await ended;
  clearTimeout(timer);
}

function writeKeys(folder: string, token: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  writeFileSync(join(folder, 'sa.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'sa.pub'), publicKey);
  writeFileSync(join(folder, 'tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
}

function etcdArguments(folder: string, port: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

function apiServerArguments(folder: string, port: number, etcdPort: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(folder, 'certs')}`,
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--service-cluster-ip-range=10.0.0.0/24',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    ...(existsSync(admissionFile(folder)) ? [`--admission-control-config-file=${admissionFile(folder)}`] : []),
  ];
}

function admissionFile(folder: string): string {
  return join(folder, 'admission.json');
}

function writeWebhookClient(folder: string, { cert, key }: NonNullable<ControlPlaneOptions['webhookClient']>): void {
  const encode = (pem: string): string => Buffer.from(pem).toString('base64');
  const user = { 'client-certificate-data': encode(cert), 'client-key-data': encode(key) };
  const kubeConfigFile = join(folder, 'webhooks.json');
  const users = [{ name: '*', user }];
  writeFileSync(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }), { mode: 0o600 });
  const apiVersion = 'apiserver.config.k8s.io/v1';
  const configuration = { apiVersion, kind: 'WebhookAdmissionConfiguration', kubeConfigFile };
  const plugins = ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'].map((name) => ({ name, configuration }));
  writeFileSync(admissionFile(folder), JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins }));
}

function kubeconfig(server: string, caFile: string, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'admin', user: { token } }],
  });
}

async function untilReady(url: string, token: string, processes: ProcessGroup): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    processes.check();
    const status = await send(url, token, 'GET', '/readyz').catch(() => 0);
    if (status === 200) return;
    await sleep(200);
  }
  throw new Error('kube-apiserver did not become ready within a minute');
}

/** Pods are refused until the controllers have made the account that they run as. */
async function untilServiceAccount(url: string, token: string, controllers: boolean): Promise<void> {
  for (let attempt = 0; controllers && attempt < 300; attempt++) {
    const status = await send(url, token, 'GET', '/api/v1/namespaces/default/serviceaccounts/default').catch(() => 0);
    if (status === 200) return;
    await sleep(100);
  }
}

/** The status of one request. The certificate is not checked: the file that would check it appears while the server starts. */
async function send(url: string, token: string, method: string, path: string, body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}
