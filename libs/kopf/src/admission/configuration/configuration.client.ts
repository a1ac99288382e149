import type { ApiCallOptions, KubeApi } from '../../client/api/api.client.js';
import { ApiConflictError } from '../../client/api/api.errors.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Webhook } from './webhook.configuration.js';

/** Limits how often a change is retried after others have written first. */
const ATTEMPTS = 5;

/** Reads and writes one webhook configuration. All methods reject with an `ApiError`, or a `ConnectionError`, after all retries. */
export class ConfigurationClient {
  constructor(
    private readonly api: KubeApi,
    /** Of all configurations of the kind: `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations`. */
    private readonly path: string,
    private readonly name: string,
  ) {}

  /** Creates the configuration without any webhooks, unless there is one. */
  async create(options: ApiCallOptions): Promise<void> {
    try {
      await this.api.post(this.path, { metadata: { name: this.name } }, options);
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
    }
  }

  /** Writes the webhooks over what is there; gives what has become of it. */
  async replace(webhooks: readonly Webhook[], options: ApiCallOptions): Promise<KubeObject> {
    return this.api.patch(this.ownPath, 'merge', { webhooks }, options);
  }

  /** Writes the webhooks, but keeps those of others, whose names have another end; gives what has become of it. */
  async merge(webhooks: readonly Webhook[], options: ApiCallOptions): Promise<KubeObject> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.api.get<KubeObject>(this.ownPath, options);
      const foreign = webhooksOf(found).filter(({ name }) => !isOwn(name, this.name));
      const metadata = { resourceVersion: found.metadata.resourceVersion };
      try {
        const changed = { metadata, webhooks: [...foreign, ...webhooks] };
        return await this.api.patch<KubeObject>(this.ownPath, 'merge', changed, options);
      } catch (error) {
        if (!(error instanceof ApiConflictError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private get ownPath(): string {
    return `${this.path}/${this.name}`;
  }
}

/** The webhooks of a configuration. */
export function webhooksOf(configuration: KubeObject | undefined): readonly Webhook[] {
  return (configuration?.webhooks ?? []) as readonly Webhook[];
}

/** Checks whether a webhook is the operator's own, by the end of its name. */
export function isOwn(webhook: string, managed: string): boolean {
  return webhook.endsWith(`.${managed}`);
}
