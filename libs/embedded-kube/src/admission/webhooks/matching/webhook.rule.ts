import type { WebhookRuleSpec } from '../configuration/webhook.types.js';

/** A request as rules are matched with it. */
export interface RequestedResource {
  readonly operation: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** That of the request; a namespace's own name for a namespace. */
  readonly namespace: string;
}

/** A rule of a webhook, ready to be matched with requests. */
export class WebhookRule {
  private readonly resources: readonly (readonly [resource: string, subresource: string])[];

  constructor(private readonly spec: WebhookRuleSpec) {
    this.resources = spec.resources.map((text) => {
      const slash = text.indexOf('/');
      return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
    });
  }

  matches(request: RequestedResource): boolean {
    const { operations, apiGroups, apiVersions } = this.spec;
    return (
      includes(operations, request.operation) &&
      includes(apiGroups, request.group) &&
      includes(apiVersions, request.version) &&
      this.matchesResource(request) &&
      this.matchesScope(request)
    );
  }

  private matchesResource({ plural, subresource }: RequestedResource): boolean {
    return this.resources.some(
      ([resource, part]) => (resource === '*' || resource === plural) && (part === '*' || part === subresource),
    );
  }

  private matchesScope({ group, plural, namespace }: RequestedResource): boolean {
    const { scope = '*' } = this.spec;
    if (scope === '*') return true;
    const isClusterWide = !namespace || (group === '' && plural === 'namespaces');
    return isClusterWide === (scope === 'Cluster');
  }
}

function includes(values: readonly string[], requested: string): boolean {
  return values.includes(requested) || values.includes('*');
}
