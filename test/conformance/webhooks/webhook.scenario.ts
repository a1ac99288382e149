import type { WebhookBehaviour } from './webhook.server.js';

/** A webhook of a scenario: its name is also its path, and the rest of its configuration can be anything. */
export interface ScenarioWebhook {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A request whose answers are compared. */
export interface ScenarioStep {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** Configurations, behaviours and requests. */
export interface WebhookScenario {
  readonly name: string;
  /** Webhooks by the name of their configuration. */
  readonly mutating?: Readonly<Record<string, readonly ScenarioWebhook[]>>;
  readonly validating?: Readonly<Record<string, readonly ScenarioWebhook[]>>;
  readonly behaviours?: Readonly<Record<string, WebhookBehaviour>>;
  readonly steps: readonly ScenarioStep[];
}

const MERGE = 'application/merge-patch+json';

export const post = (path: string, body: unknown): ScenarioStep => ({ method: 'POST', path, body });
export const put = (path: string, body: unknown): ScenarioStep => ({ method: 'PUT', path, body });
export const get = (path: string): ScenarioStep => ({ method: 'GET', path });
export const remove = (path: string, body?: unknown): ScenarioStep => ({ method: 'DELETE', path, body });
export const patch = (path: string, body: unknown, type = MERGE): ScenarioStep => ({
  method: 'PATCH',
  path,
  body,
  type,
});

export const apply = (path: string, body: unknown): ScenarioStep => patch(path, body, 'application/apply-patch+yaml');

/** A rule for some operations on some resources. */
export function rule(resources: string[], operations = ['CREATE'], apiGroups = ['*'], apiVersions = ['*']): object {
  return { operations, apiGroups, apiVersions, resources };
}

/** Allows with a JSON patch. */
export function patching(...operations: object[]): WebhookBehaviour {
  return () => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  });
}

export const allowing: WebhookBehaviour = () => ({ allowed: true });
