import type { WebhookClientConfig } from './webhook-client-config.interface.js';

/**
 * Makes the name of a webhook out of its handler's id: `/` becomes `.`, `_` becomes `-`, other characters than
 * letters, digits, `-`, and `.` become their code in UTF-8.
 *
 * Letters stay as they are, as in Kopf, but Kubernetes accepts only the lower-case ones of ASCII.
 *
 * @param suffix the name of the configuration, which makes the name fully qualified; can be empty.
 */
export function createWebhookName(id: string, suffix: string): string {
  const beautiful = id.replaceAll('/', '.').replaceAll('_', '-');
  const name = beautiful.replace(/[^\p{L}\p{N}.-]/gu, (character) => Buffer.from(character).toString('hex'));
  return suffix ? `${name}.${suffix}` : name;
}

/** Makes the client configuration of one handler's webhook: with the handler's id at the end of the path. */
export function createWebhookClientConfig(config: WebhookClientConfig, id: string): WebhookClientConfig {
  const result = { ...config };
  const path = quotePath(id);
  if (config.url !== undefined) result.url = `${config.url.replace(/\/+$/, '')}/${path}`;
  if (config.service !== undefined) {
    result.service = { ...config.service, path: `${config.service.path ?? ''}/${path}` };
  }
  return result;
}

/** Escapes all characters but letters and digits of ASCII, `_`, `.`, `-`, `~`, and the slash. */
function quotePath(id: string): string {
  return encodeURIComponent(id)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
