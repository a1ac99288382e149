import type { AdmissionHandler } from '../../registry/handler.js';
import type { WebhookClientConfig } from '../../reviews/webhook-client.config.js';

/**
 * Creates the name of a webhook from its handler's id: `/` becomes `.`, `_` becomes `-`, other characters than letters, digits, `-`, and
 * `.` become their code in UTF-8.
 *
 * Upper-case and other letters stay as they are, as in Kopf, although Kubernetes accepts only the lower-case letters of ASCII.
 *
 * @param suffix the name of the configuration, which makes the name fully qualified; can be empty.
 */
export function createWebhookName(id: string, suffix: string): string {
  const beautiful = id.replaceAll('/', '.').replaceAll('_', '-');
  const name = beautiful.replace(/[^\p{L}\p{N}.-]/gu, (character) => Buffer.from(character).toString('hex'));
  return suffix ? `${name}.${suffix}` : name;
}

/** Creates the client configuration of one handler's webhook, with the handler's id at the end of the path. */
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

/** The pattern of the names that Kubernetes accepts for webhooks: domains of at least three parts. */
const VALID = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}$/;
const SEGMENT = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST = 253;

/** Returns the name of a handler's webhook in the managed configuration, in lower case only, as Kubernetes requires. */
export function nameWebhook(id: string, managed: string): string {
  return createWebhookName(id.toLowerCase(), managed);
}

/**
 * Converts a handler's id to a part of the path of a service, where Kubernetes allows no upper case, though it does in URLs. An id of
 * lower-case letters, digits, dots, dashes, and slashes stays as it is.
 */
export function nameServicePath(id: string): string {
  const segments = id.split('/').map((segment) => (SEGMENT.test(segment) ? segment : nameWebhook(segment, '')));
  return segments.join('/');
}

/** Finds handlers whose webhooks cannot be named: Kubernetes would refuse the names, or two webhooks would have the same one. */
export function findNameViolations(handlers: readonly AdmissionHandler[], managed: string): readonly string[] {
  const violations = new Set<string>();
  const first = new Map<string, AdmissionHandler>();
  for (const handler of handlers) {
    const { id, source } = handler;
    const name = nameWebhook(id, managed);
    if (!VALID.test(name) || name.length > LONGEST) {
      violations.add(
        `${source}: the id '${id}' makes '${name}', which is no valid name of a webhook; give it another option 'id'`,
      );
      continue;
    }
    const other = first.get(name);
    if (!other) first.set(name, handler);
    else if (other.id !== id) {
      violations.add(
        `${other.source} and ${source}: the ids '${other.id}' and '${id}' make one webhook '${name}'; give one of them another option 'id'`,
      );
    }
  }
  return [...violations];
}
