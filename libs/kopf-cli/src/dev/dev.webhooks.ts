import { createHash, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { UsageError } from '../exit.codes.js';
import { toLabel } from './dev.operator.js';
import type { DevOptions, DevWebhooks } from './dev.options.js';

/** A name of a machine as clusters reach it. */
const HOST = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/i;

/**
 * Reads the option `--webhooks`.
 *
 * @param isEmbedded whether the API server runs in this process, which reaches itself.
 * @throws UsageError if it is no way that there is.
 */
export function parseWebhooks(
  { webhooks, webhooksPort: port }: Pick<DevOptions, 'webhooks' | 'webhooksPort'>,
  isEmbedded: boolean,
): DevWebhooks {
  if (webhooks === 'off') return { way: 'off' };
  if (webhooks === 'auto') return isEmbedded ? { way: 'host', host: '127.0.0.1' } : { way: 'detected' };
  if (webhooks === 'ngrok') return { way: 'ngrok', path: `/${randomUUID()}` };
  if (URL.canParse(webhooks) && new URL(webhooks).protocol === 'https:') return { way: 'tunnel', url: webhooks, port };
  if (isIP(webhooks) || HOST.test(webhooks)) return { way: 'host', host: webhooks };
  throw new UsageError(
    `--webhooks must be auto, off, ngrok, the URL of a tunnel (https://…), or an address of this machine, not ${JSON.stringify(webhooks)}.`,
  );
}

/**
 * The name of the webhook configurations of a session: the same after a crash, and another one for other users, machines, and operators.
 *
 * @param owner `me@laptop`
 */
export function nameConfigurations(owner: string, folder: string, files: readonly string[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([owner, folder, files]))
    .digest('hex');
  return `${toLabel(owner).slice(0, 50)}-${hash.slice(0, 8)}.dev.kopf.dev`;
}
