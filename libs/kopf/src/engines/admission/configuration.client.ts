import type { ApiCallOptions, KubeApi } from '../../client/api.client.js';
import { ApiConflictError } from '../../errors/api.errors.js';
import type { KubeObject } from '../../interfaces/kube-object.interface.js';
import type { Webhook } from './webhook.configuration.js';

/** How often a change is tried that others have come before. */
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

  /** Writes the webhooks over what is there. */
  async replace(webhooks: readonly Webhook[], options: ApiCallOptions): Promise<void> {
    await this.api.patch(this.ownPath, 'merge', { webhooks }, options);
  }

  /** Writes the webhooks, but keeps those of others, whose names have another end. */
  async merge(webhooks: readonly Webhook[], options: ApiCallOptions): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.api.get<KubeObject>(this.ownPath, options);
      const present = (found.webhooks ?? []) as Webhook[];
      const foreign = present.filter(({ name }) => !name.endsWith(`.${this.name}`));
      const metadata = { resourceVersion: found.metadata.resourceVersion };
      try {
        await this.api.patch(this.ownPath, 'merge', { metadata, webhooks: [...foreign, ...webhooks] }, options);
        return;
      } catch (error) {
        if (!(error instanceof ApiConflictError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private get ownPath(): string {
    return `${this.path}/${this.name}`;
  }
}
