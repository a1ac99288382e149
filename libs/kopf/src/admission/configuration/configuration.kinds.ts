import type { Resource } from '../../resources/resources.js';

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

/** Maps each kind of admission handlers to the resource of its webhook configuration. */
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
