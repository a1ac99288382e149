import type { AdmissionAttributes } from '../../../machinery/write.admission.js';
import type { ResourceRegistry } from '../../../resources/resource.registry.js';
import type { ServedResource } from '../../../resources/served.resource.js';
import type { ObjectStore } from '../../../storage/object.store.js';
import type { StoredObject } from '../../../storage/stored.object.js';
import type { WebhookConfiguration } from '../configuration/webhook.types.js';
import { compileConfiguration, type CompiledWebhook } from './compiled.webhook.js';

/** A webhook that a write may be for, and the version in which it gets the write. */
export interface WebhookCandidate {
  readonly webhook: CompiledWebhook;
  readonly served: ServedResource;
}

const NOBODY: readonly WebhookCandidate[] = [];

/**
 * All webhooks of one sort, in the order in which they are asked: that of their configurations' names, then that within them. The match of
 * rules is computed once for each sort of request, until a configuration changes.
 */
export class WebhookSource {
  private readonly compiled = new WeakMap<StoredObject, readonly CompiledWebhook[]>();
  private webhooks: readonly CompiledWebhook[] | undefined;
  private candidates = new WeakMap<ServedResource, Map<string, readonly WebhookCandidate[]>>();

  /** @param collection the one that holds the configurations */
  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly collection: string,
  ) {}

  /** Starts to follow the configurations, and the versions of resources. */
  start(): void {
    this.store.collection(this.collection).subscribe(() => {
      this.webhooks = undefined;
      this.candidates = new WeakMap();
    });
    this.registry.subscribe(() => {
      this.candidates = new WeakMap();
    });
  }

  /** Returns the webhooks whose rules name a write; the same array for all writes of its sort. */
  candidatesFor(attributes: AdmissionAttributes): readonly WebhookCandidate[] {
    this.webhooks ??= this.compileAll();
    if (this.webhooks.length === 0) return NOBODY;
    const { served, operation, subresource = '', namespace } = attributes;
    let bySort = this.candidates.get(served);
    if (!bySort) this.candidates.set(served, (bySort = new Map<string, readonly WebhookCandidate[]>()));
    const sort = `${operation} ${namespace ? '' : '*'} ${subresource}`;
    let found = bySort.get(sort);
    if (!found) bySort.set(sort, (found = isExempt(attributes) ? NOBODY : this.named(this.webhooks, attributes)));
    return found;
  }

  private named(webhooks: readonly CompiledWebhook[], attributes: AdmissionAttributes): WebhookCandidate[] {
    const equivalents = this.registry.equivalents(attributes.served);
    return webhooks.flatMap((webhook) => {
      const served = versionFor(webhook, attributes, equivalents);
      return served ? [{ webhook, served }] : [];
    });
  }

  private compileAll(): CompiledWebhook[] {
    const stored = this.store.collection(this.collection).list();
    return stored.flatMap((each) => this.compile(each));
  }

  private compile(stored: StoredObject): readonly CompiledWebhook[] {
    let webhooks = this.compiled.get(stored);
    if (!webhooks) {
      webhooks = compileConfiguration(stored.object as WebhookConfiguration);
      this.compiled.set(stored, webhooks);
    }
    return webhooks;
  }
}

/** Returns the request's own version, if a rule names it; else the first one that a rule names, in the order of rules. */
function versionFor(
  { rules, spec }: CompiledWebhook,
  attributes: AdmissionAttributes,
  equivalents: readonly ServedResource[],
): ServedResource | undefined {
  const { served } = attributes;
  if (rules.some((rule) => rule.matches(requested(served, attributes)))) return served;
  if (spec.matchPolicy === 'Exact') return undefined;
  for (const rule of rules) {
    const found = equivalents.find((other) => rule.matches(requested(other, attributes)));
    if (found) return found;
  }
  return undefined;
}

/** Describes a write to rules, in one version of its resource. */
export function requested(
  { resource }: ServedResource,
  { operation, subresource = '', namespace }: AdmissionAttributes,
) {
  const { group, version, plural } = resource;
  return { operation, group, version, plural, subresource, namespace };
}

const GROUP = 'admissionregistration.k8s.io';
const EXEMPT = /^(Validating|Mutating)(WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)$/;

/** Whether webhooks and policies are not asked about the resource, as they could make it impossible to change them. */
export function isExempt({ served: { resource } }: AdmissionAttributes): boolean {
  return resource.group === GROUP && EXEMPT.test(resource.kind);
}
