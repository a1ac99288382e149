import type { KubeApi } from '../../../client/api/api.client.js';

/** The version of the API server, which is requested once, for the first viewer. */
export class ServerVersion {
  /** `undefined` if it is not known, as the API server has not answered. */
  text?: string;
  isAsked = false;
  private asking?: Promise<void>;

  constructor(private readonly api: KubeApi) {}

  /** Resolves when the API server has answered, or has failed to. */
  ask(): Promise<void> {
    this.asking ??= this.api
      .get<{ readonly gitVersion?: string }>('/version', { retries: false })
      .then(({ gitVersion }) => void (this.text = gitVersion))
      .catch(() => undefined)
      .finally(() => (this.isAsked = true));
    return this.asking;
  }
}
