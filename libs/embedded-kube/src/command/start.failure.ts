import type { CliOptions } from './cli.options.js';

interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly address?: string;
}

/** Describes why the command cannot run, and what to do about it; errors that already explain it are left as they are. */
export function describeFailure(
  error: unknown,
  { host, port, data, kubeconfig }: Pick<CliOptions, 'host' | 'port' | 'data' | 'kubeconfig'>,
): string {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error);
  const reason = reasonOf(error);
  const { path } = error;
  if (path === undefined) {
    const advice = error.code === 'EADDRINUSE' ? '; choose another one by --port (0 takes a free one)' : '';
    return `cannot listen on port ${port} of ${host}: ${reason}${advice}`;
  }
  if (kubeconfig !== undefined && path.endsWith(kubeconfig.replace(/^\.\//, ''))) {
    return `cannot write the kubeconfig ${kubeconfig} (--kubeconfig): ${reason}`;
  }
  return `cannot use the folder ${String(data)} (--data): ${reason}: ${path}`;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** Returns the words of the system, without its code and without its call: `permission denied`. */
function reasonOf({ message, code, address }: SystemError): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  const [reason = ''] = message.replace(/^\w+( E\w+)?: /, '').split(/[,:] /);
  return address === undefined ? reason : reason.split(` ${address}`)[0]!;
}
