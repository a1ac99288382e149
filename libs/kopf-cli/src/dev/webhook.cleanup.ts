import { ApiForbiddenError, ApiNotFoundError, type KubeObject } from 'nestjs-kopf';
import { ifFound, type KubeApi } from 'nestjs-kopf/tooling';
import { errorText, formatTimestamp, parseTimestamp } from 'kube-common';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
/** The two resources of configurations, with their kinds. */
const KINDS = {
  validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
  mutatingwebhookconfigurations: 'MutatingWebhookConfiguration',
} as const;

const LABEL = 'app.kubernetes.io/managed-by';
const MANAGER = 'kopf-dev';
const OWNER = 'kopf.dev/dev-owner';
const UNTIL = 'kopf.dev/dev-until';

/** Seconds after which the configurations of a session count as left behind that does not renew them. */
export const MARK_LIFETIME = 600;

/** A configuration of a session of `kopf dev`. */
export interface MarkedConfiguration {
  readonly kind: string;
  readonly name: string;
  /** The user who has started the session: `me@laptop`. */
  readonly owner?: string;
  /** The time stamp after which it counts as left behind. */
  readonly until?: string;
}

/**
 * The cleanup of the configurations of webhooks that belong to sessions of `kopf dev`, which marks them, and removes them: at the end of
 * the session, when its operator has crashed, and after the session itself has crashed.
 */
export class WebhookCleanup {
  constructor(
    private readonly api: KubeApi,
    private readonly owner: string,
  ) {}

  /**
   * Marks the configurations of a name as the session's, for some time; those that do not exist are created, without webhooks. Never
   * rejects.
   *
   * @returns an error that the user should know.
   */
  async mark(name: string): Promise<string | undefined> {
    const until = formatTimestamp(this.api.clock.now() + MARK_LIFETIME * 1000);
    const metadata = { name, labels: { [LABEL]: MANAGER }, annotations: { [OWNER]: this.owner, [UNTIL]: until } };
    return this.forEach(async (resource, kind) => {
      const configuration = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata };
      await this.api.patch(`${GROUP}/${resource}/${name}?fieldManager=${MANAGER}&force=true`, 'apply', configuration);
    });
  }

  /** Removes the configurations of a name. Never rejects. @returns an error that the user should know. */
  async remove(name: string): Promise<string | undefined> {
    return this.forEach(async (resource) => {
      await this.api.delete(`${GROUP}/${resource}/${name}`, undefined, { retries: false });
    });
  }

  /**
   * Returns the configurations of all sessions.
   *
   * @throws ApiForbiddenError without the permission to list configurations.
   */
  async list(): Promise<readonly MarkedConfiguration[]> {
    const query = `labelSelector=${encodeURIComponent(`${LABEL}=${MANAGER}`)}`;
    const found: MarkedConfiguration[] = [];
    for (const [resource, kind] of Object.entries(KINDS)) {
      const { items } = await this.api.get<{ items: readonly KubeObject[] }>(`${GROUP}/${resource}?${query}`);
      for (const { metadata } of items) {
        const { name = '', annotations = {} } = metadata;
        found.push({ kind, name, owner: annotations[OWNER], until: annotations[UNTIL] });
      }
    }
    return found;
  }

  /** Whether the session of a configuration does not renew its mark any more. */
  isExpired({ until }: MarkedConfiguration): boolean {
    return (parseTimestamp(until ?? '') ?? 0) < this.api.clock.now();
  }

  /** Removes what sessions have left behind that do not renew their marks. Without the permission to look, nothing is removed. */
  async removeExpired(): Promise<readonly MarkedConfiguration[]> {
    return this.removeIf((each) => this.isExpired(each)).catch((error: unknown) => {
      if (error instanceof ApiForbiddenError) return [];
      throw error;
    });
  }

  /** Removes the configurations of all sessions of the same person on the same machine, and what others have left behind. */
  async clean(): Promise<readonly MarkedConfiguration[]> {
    const own = await this.removeIf(({ owner }) => owner === this.owner);
    return [...own, ...(await this.removeExpired())];
  }

  private async removeIf(isGone: (each: MarkedConfiguration) => boolean): Promise<readonly MarkedConfiguration[]> {
    const removed = (await this.list()).filter(isGone);
    for (const { kind, name } of removed) {
      const [resource] = Object.entries(KINDS).find(([, each]) => each === kind)!;
      await ifFound(this.api.delete(`${GROUP}/${resource}/${name}`));
    }
    return removed;
  }

  private async forEach(act: (resource: string, kind: string) => Promise<void>): Promise<string | undefined> {
    const errors = await Promise.all(
      Object.entries(KINDS).map(async ([resource, kind]) => {
        try {
          await act(resource, kind);
        } catch (error) {
          return error instanceof ApiNotFoundError ? undefined : errorText(error);
        }
      }),
    );
    return errors.find((error) => error !== undefined);
  }
}
