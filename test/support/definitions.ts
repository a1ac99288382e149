/** How a custom resource of a test is defined. */
export interface DefinitionOptions {
  readonly kind?: string;
  readonly plural?: string;
  /** Whether the status is a subresource. @default false */
  readonly statusSubresource?: boolean;
}

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The definition of a resource of the group `kopf.dev` that takes any spec and any status. */
export function customResource(options: DefinitionOptions = {}) {
  const { kind = 'KopfExample', plural = `${kind.toLowerCase()}s`, statusSubresource = false } = options;
  const preserved = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.kopf.dev` },
    spec: {
      group: 'kopf.dev',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          ...(statusSubresource && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: preserved, status: preserved } } },
        },
      ],
    },
  };
}
