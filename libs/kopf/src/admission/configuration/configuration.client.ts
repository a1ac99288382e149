import { type Resource, resourceKey } from '../../resources/resources.js';
import type { ApiCallOptions, KubeApi } from '../../client/api/api.client.js';
import { ApiConflictError } from '../../client/api/api.errors.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Webhook } from './webhook.configuration.js';
import { AdmissionRequestError } from '../review/admission.errors.js';
import type { ReviewedResource } from '../../reviews/admission.review.js';
import type { HandlerRegistry } from '../../registry/handler.registry.js';
import type { ResourceSelection } from '../../resources/resource-selector.js';
import { selectAdmittedResources } from '../../watching/resource.selection.js';

/** The group of the API that webhook configurations are in. */
export const CONFIGURATION_GROUP = 'admissionregistration.k8s.io';

const common = {
  group: CONFIGURATION_GROUP,
  version: 'v1',
  shortNames: [],
  categories: ['api-extensions'],
  subresources: [],
  namespaced: false,
  preferred: true,
  verbs: ['create', 'get', 'list', 'patch', 'watch'],
} as const;

/** The resources of webhook configurations by the kinds of admission handlers. */
export const CONFIGURATION_KINDS: Readonly<Record<'validate' | 'mutate', Resource>> = {
  validate: {
    ...common,
    plural: 'validatingwebhookconfigurations',
    singular: 'validatingwebhookconfiguration',
    kind: 'ValidatingWebhookConfiguration',
  },
  mutate: {
    ...common,
    plural: 'mutatingwebhookconfigurations',
    singular: 'mutatingwebhookconfiguration',
    kind: 'MutatingWebhookConfiguration',
  },
};

/** The most attempts to write a change while other clients write first. */
const ATTEMPTS = 5;

/** The client of one webhook configuration. All methods reject with an `ApiError`, or a `ConnectionError`, after all retries. */
export class ConfigurationClient {
  constructor(
    private readonly api: KubeApi,
    /** The path of all configurations of the kind: `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations`. */
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

  /** Replaces all webhooks of the configuration. @returns the configuration as it is stored */
  async replace(webhooks: readonly Webhook[], options: ApiCallOptions): Promise<KubeObject> {
    return this.api.patch(this.ownPath, 'merge', { webhooks }, options);
  }

  /**
   * Replaces the operator's webhooks, and keeps those of others, whose names have another end. @returns the configuration as it is stored
   */
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

/** The resources of the admission handlers among those of the cluster. */
export class AdmissionResources {
  private available: readonly Resource[] = [];
  private selected: ReadonlyMap<string, Resource> = new Map();

  constructor(private readonly registry: HandlerRegistry) {}

  /** Selects the resources, after those of the cluster have changed. */
  update(available: readonly Resource[]): ResourceSelection {
    const selection = selectAdmittedResources(this.registry, available);
    this.available = available;
    this.selected = new Map(selection.resources.map((resource) => [resourceKey(resource), resource]));
    return selection;
  }

  get all(): readonly Resource[] {
    return [...this.selected.values()];
  }

  /** Finds a resource by its name in a review. */
  find({ group, version, resource: plural }: ReviewedResource): Resource {
    const found = this.selected.get(resourceKey({ group, version, plural }));
    if (found) return found;
    throw new AdmissionRequestError(`No handler is for the resource ${resourceKey({ group, version, plural })}.`, 404);
  }

  /** Returns the resource of webhook configurations in the version that the cluster prefers, or in `v1` if the cluster does not list it. */
  configurationsOf(kind: 'validate' | 'mutate'): Resource {
    const usual = CONFIGURATION_KINDS[kind];
    return this.available.find((each) => isPreferred(each, usual)) ?? usual;
  }
}

function isPreferred(resource: Resource, { group, plural }: Resource): boolean {
  return resource.group === group && resource.plural === plural && resource.preferred;
}
