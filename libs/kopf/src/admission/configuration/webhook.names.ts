import type { AdmissionHandler } from '../../registry/handler.js';
import { createWebhookName } from './webhooks.js';

/** Matches the names that Kubernetes accepts for webhooks: domains of at least three parts. */
const VALID = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}$/;
const SEGMENT = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST = 253;

/** The name of a handler's webhook in the managed configuration. Kubernetes knows no upper case. */
export function nameWebhook(id: string, managed: string): string {
  return createWebhookName(id.toLowerCase(), managed);
}

/**
 * Converts the handler's id to a part of a service's path: Kubernetes allows no upper case there, but does in URLs. An id of
 * lower-case letters, digits, dots, dashes, and slashes only stays as it is.
 */
export function nameServicePath(id: string): string {
  const segments = id.split('/').map((segment) => (SEGMENT.test(segment) ? segment : nameWebhook(segment, '')));
  return segments.join('/');
}

/** Finds handlers whose webhooks cannot be named: Kubernetes would refuse the names, or two of them would be the same. */
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
