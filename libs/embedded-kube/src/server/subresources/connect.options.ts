import { badRequest } from '../../errors/status.errors.js';
import type { Draft } from '../../resources/kube-object.js';
import { queryFlag } from '../request.info.js';
import type { ResourceRequest } from '../resource.handler.js';

/** The options of a connection, which webhooks and policies see, and may change: an object without metadata. */
export type ConnectOptions = Draft & Readonly<Record<string, unknown>>;

/** Reads the options of a command out of a query. */
export function commandOptions(kind: 'PodExecOptions' | 'PodAttachOptions', { info }: ResourceRequest): ConnectOptions {
  const { query } = info;
  const commands = query.getAll('command');
  return optionsOf(kind, {
    ...flag(query, 'stdin'),
    ...flag(query, 'stdout'),
    ...flag(query, 'stderr'),
    ...flag(query, 'tty'),
    ...(query.get('container') && { container: query.get('container') }),
    ...(kind === 'PodExecOptions' && { command: commands.length > 0 ? commands : null }),
  });
}

/**
 * Reads the ports to be forwarded out of a query.
 *
 * @throws StatusError 400 if one is no number
 */
export function forwardOptions({ info }: ResourceRequest): ConnectOptions {
  const texts = info.query.getAll('ports').flatMap((text) => text.split(','));
  const wrong = texts.find((text) => !/^\d+$/.test(text));
  if (wrong !== undefined) {
    const reason = `strconv.ParseUint: parsing ${JSON.stringify(wrong)}: invalid syntax`;
    throw badRequest(`cannot convert to []int32: ${reason}`);
  }
  return optionsOf('PodPortForwardOptions', texts.length > 0 ? { ports: texts.map(Number) } : {});
}

/** Reads the path of a request through the proxy; a slash at its end is kept. */
export function proxyOptions(kind: string, { target: { rest }, info }: ResourceRequest): ConnectOptions {
  const path = rest && `/${rest}`;
  const whole = info.path.endsWith('/') ? `${path}/` : path;
  return optionsOf(kind, whole ? { path: whole } : {});
}

function optionsOf(kind: string, fields: object): ConnectOptions {
  return { kind, apiVersion: 'v1', ...fields } as ConnectOptions;
}

function flag(query: URLSearchParams, name: string): object {
  return queryFlag(query, name) ? { [name]: true } : {};
}
