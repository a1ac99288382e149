import type { Resource } from '../resources/resources.js';

/** The properties that all resources have which every cluster serves and the operator itself needs. */
const common = { categories: [], subresources: ['status'], preferred: true } as const;

export const NAMESPACES: Resource = {
  ...common,
  shortNames: ['ns'],
  group: '',
  version: 'v1',
  plural: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  namespaced: false,
  verbs: ['list', 'watch'],
};

export const CRDS: Resource = {
  ...common,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  kind: 'CustomResourceDefinition',
  namespaced: false,
  verbs: ['list', 'watch'],
};
