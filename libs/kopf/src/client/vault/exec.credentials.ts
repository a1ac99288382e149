import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { CredentialsError, type ConnectionInfo } from './connection-info.js';
import type { Clock } from 'kube-common';
import type { KubeConfigCluster, KubeConfigExec } from './kubeconfig.data.js';

/** The credentials that a plugin has printed. */
export type ExecCredentials = Pick<ConnectionInfo, 'token' | 'certificateData' | 'privateKeyData' | 'expiration'>;

const V1 = 'client.authentication.k8s.io/v1';
const VERSIONS: readonly string[] = [V1, 'client.authentication.k8s.io/v1beta1'];
const MODES: readonly string[] = ['Never', 'IfAvailable'];

/** The extension of a cluster with the configuration of its plugin. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** The longest time for a plugin, in seconds. */
const TIMEOUT = 60;

/** The longest output of a plugin, in characters; credentials have a few thousand. */
const OUTPUT_LENGTH = 1024 * 1024;

/** The most characters of a plugin's standard error that are shown in a message. */
const STDERR_LENGTH = 256;

/**
 * Runs a credential plugin (`exec` of a kubeconfig), and reads the credentials that it prints.
 *
 * @throws CredentialsError if the plugin is misconfigured, cannot be run, fails, takes longer than a minute, or prints more than a mebibyte
 *   or anything but credentials. The error shows the beginning of the standard error, but never the output.
 */
export async function runCredentialPlugin(
  exec: KubeConfigExec,
  cluster: KubeConfigCluster,
  clock: Clock,
): Promise<ExecCredentials> {
  checkExec(exec);
  const output = await run(exec, await describeCluster(exec, cluster), clock);
  const status = parse(output, exec);
  const expiration = status.expirationTimestamp ? new Date(status.expirationTimestamp) : undefined;
  return {
    ...(status.token && { token: status.token }),
    ...(status.clientCertificateData && { certificateData: status.clientCertificateData }),
    ...(status.clientKeyData && { privateKeyData: status.clientKeyData }),
    ...(expiration && !Number.isNaN(expiration.getTime()) && { expiration }),
  };
}

/**
 * Checks the configuration of a plugin as kubectl does, except that the version and the mode are optional: there is only one version today,
 * and no user to interact with.
 */
function checkExec({ command, apiVersion = V1, interactiveMode = 'Never', env }: KubeConfigExec): void {
  if (!command) throw new CredentialsError('The credential plugin of the kubeconfig has no command.');
  const refuse = (why: string): never => {
    throw new CredentialsError(`The credential plugin ${command} of the kubeconfig ${why}`);
  };
  if (!VERSIONS.includes(apiVersion))
    refuse(`has the apiVersion ${apiVersion}, which is none of ${VERSIONS.join(', ')}.`);
  if (interactiveMode === 'Always') refuse('has to ask a user (interactiveMode: Always), and an operator has none.');
  if (!MODES.includes(interactiveMode)) refuse(`has the unknown interactiveMode ${interactiveMode}.`);
  if (env?.some(({ name }) => !name)) refuse('has a variable without a name (env).');
}

function run(exec: KubeConfigExec, info: string, clock: Clock): Promise<string> {
  const { command, args, installHint } = exec as KubeConfigExec & { command: string };
  const extra = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  const env = { ...process.env, ...extra, KUBERNETES_EXEC_INFO: info };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args ?? [], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const fail = (why: string): void => {
      timer.cancel();
      reject(new CredentialsError(`The credential plugin ${command} ${why}`));
    };
    const abort = (why: string): void => {
      child.kill('SIGKILL');
      // Child processes of the plugin can keep the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
      fail(why);
    };
    const timer = clock.setTimer(() => abort(`took longer than ${TIMEOUT} seconds.`), TIMEOUT * 1000);
    let output = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > OUTPUT_LENGTH) abort('printed more than 1 MiB, which are no credentials.');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(0, STDERR_LENGTH)));
    child.on('error', (error: NodeJS.ErrnoException) => {
      fail(`cannot be run: ${error.code}.${installHint ? ` ${installHint}` : ''}`);
    });
    child.on('close', (code, signal) => {
      if (code !== 0) return fail(`failed with ${signal ?? `exit code ${code}`}. ${stderr.trim()}`.trim());
      timer.cancel();
      resolve(output);
    });
  });
}

function parse(output: string, { command, apiVersion = V1 }: KubeConfigExec): Record<string, string | undefined> {
  let printed: { kind?: unknown; apiVersion?: unknown; status?: Record<string, string | undefined> } | undefined;
  try {
    printed = JSON.parse(output);
  } catch {
    // The error is the same as for other output, as it must not show what was printed.
  }
  const { kind, apiVersion: version = apiVersion, status } = printed ?? {};
  if (kind !== 'ExecCredential' || !status) {
    throw new CredentialsError(`The credential plugin ${command} has printed no credentials.`);
  }
  if (version !== apiVersion) {
    throw new CredentialsError(`The credential plugin ${command} has not answered in the apiVersion ${apiVersion}.`);
  }
  const { token, clientCertificateData, clientKeyData } = status;
  if (Boolean(clientCertificateData) !== Boolean(clientKeyData)) {
    throw new CredentialsError(
      `The credential plugin ${command} has printed a certificate or a key without the other.`,
    );
  }
  if (token || clientCertificateData) return status;
  throw new CredentialsError(`The credential plugin ${command} has printed no credentials.`);
}

async function describeCluster(exec: KubeConfigExec, cluster: KubeConfigCluster): Promise<string> {
  return JSON.stringify({
    apiVersion: exec.apiVersion ?? V1,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec.provideClusterInfo && { cluster: await clusterInfo(cluster) }) },
  });
}

/** Returns the cluster as plugins receive it, in the fields of `ExecCredential`, with the certificate authority even if it is in a file. */
async function clusterInfo(cluster: KubeConfigCluster): Promise<object> {
  const config = cluster.extensions?.find(({ name }) => name === EXEC_EXTENSION)?.extension;
  return {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'] || (await readAuthority(cluster)),
    'proxy-url': cluster['proxy-url'],
    'disable-compression': cluster['disable-compression'],
    // `null` if there is none, as in kubectl.
    config: config ?? null,
  };
}

async function readAuthority({ 'certificate-authority': path }: KubeConfigCluster): Promise<string | undefined> {
  if (!path) return undefined;
  try {
    return (await readFile(path)).toString('base64');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CredentialsError(`Cannot read the certificate-authority of the kubeconfig: ${path}: ${code}`);
  }
}
