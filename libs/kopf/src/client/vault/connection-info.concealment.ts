import { inspect } from 'node:util';
import type { ConnectionInfo } from './connection-info.interface.js';
import { describeServer } from './connection-info.checks.js';

const CONCEALED = '***';

/** Makes printing the credentials show no secrets: `console.log(info)` in a login handler. They can be read and copied as before. */
export function concealSecrets(info: ConnectionInfo): ConnectionInfo {
  return Object.defineProperty(info, inspect.custom, { value: () => toVisible(info), enumerable: false });
}

function toVisible(info: ConnectionInfo): Partial<ConnectionInfo> {
  const { token, password, privateKeyData, proxyUrl } = info;
  return {
    ...info,
    server: describeServer(info.server),
    ...(token !== undefined && { token: CONCEALED }),
    ...(password !== undefined && { password: CONCEALED }),
    ...(privateKeyData !== undefined && { privateKeyData: CONCEALED }),
    ...(proxyUrl !== undefined && { proxyUrl: describeServer(proxyUrl) }),
  };
}
