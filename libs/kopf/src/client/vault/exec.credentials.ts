import { spawn } from 'node:child_process';
import { CredentialsError, type ConnectionInfo } from './connection-info.js';
import type { Clock } from '../../common/clock.js';
import type { KubeConfigCluster, KubeConfigExec } from './kubeconfig.data.js';

/** Holds the credentials that a plugin has printed. */
export type ExecCredentials = Pick<ConnectionInfo, 'token' | 'certificateData' | 'privateKeyData' | 'expiration'>;

/** Limits how long a plugin can take, in seconds. */
const TIMEOUT = 60;

/** Limits how much a plugin can print, in characters; credentials have a few thousand. */
const OUTPUT_LENGTH = 1024 * 1024;

/** Limits how many characters of a plugin's standard error get into the message. */
const STDERR_LENGTH = 256;

/**
 * Runs a credential plugin (`exec` of a kubeconfig) and reads the credentials that it prints.
 *
 * @throws CredentialsError if it cannot be run, fails, takes longer than a minute, prints more than a mebibyte, or something else;
 * what it prints is not shown, but its complaints on the error output are.
 */
export async function runCredentialPlugin(
  exec: KubeConfigExec,
  cluster: KubeConfigCluster,
  clock: Clock,
): Promise<ExecCredentials> {
  if (!exec.command) throw new CredentialsError('The credential plugin of the kubeconfig has no command.');
  const output = await run(exec, describeCluster(exec, cluster), clock);
  const status = parse(output, exec.command);
  const expiration = status.expirationTimestamp ? new Date(status.expirationTimestamp) : undefined;
  return {
    ...(status.token && { token: status.token }),
    ...(status.clientCertificateData && { certificateData: status.clientCertificateData }),
    ...(status.clientKeyData && { privateKeyData: status.clientKeyData }),
    ...(expiration && !Number.isNaN(expiration.getTime()) && { expiration }),
  };
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
      // Processes that it has started can hold the pipes open.
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

function parse(output: string, command: string): Record<string, string | undefined> {
  try {
    const { kind, status } = JSON.parse(output);
    if (kind === 'ExecCredential' && (status?.token || status?.clientCertificateData)) return status;
  } catch {
    // The same error as for other output, as it must not show what was printed.
  }
  throw new CredentialsError(`The credential plugin ${command} has printed no credentials.`);
}

function describeCluster(exec: KubeConfigExec, cluster: KubeConfigCluster): string {
  const details = exec.provideClusterInfo && {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'],
    'proxy-url': cluster['proxy-url'],
  };
  return JSON.stringify({
    apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false, ...(details && { cluster: details }) },
  });
}
