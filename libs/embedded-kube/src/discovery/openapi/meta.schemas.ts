import type { OpenApiPart } from './swagger.schema.js';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The names of the schemas that all resources share. */
export const META_SCHEMAS = {
  deleteOptions: `${META}.DeleteOptions`,
  fieldsV1: `${META}.FieldsV1`,
  listMeta: `${META}.ListMeta`,
  managedFieldsEntry: `${META}.ManagedFieldsEntry`,
  objectMeta: `${META}.ObjectMeta`,
  ownerReference: `${META}.OwnerReference`,
  patch: `${META}.Patch`,
  preconditions: `${META}.Preconditions`,
  status: `${META}.Status`,
  time: `${META}.Time`,
} as const;

const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** The texts about the fields that all objects and lists have, as real servers publish them. */
export const META_TEXTS = {
  apiVersion:
    'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the ' +
    `latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`,
  kind:
    'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the ' +
    `client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
  objectMeta: `Standard object's metadata. More info: ${CONVENTIONS}#metadata`,
  listMeta: `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`,
  items: (plural: string): string => `List of ${plural}. More info: ${CONVENTIONS}`,
} as const;

/** Chooses, of the schemas of a published document, those that all resources share. */
export function metaSchemas(schemas: OpenApiPart): Record<string, OpenApiPart> {
  const shared = Object.entries(schemas).filter(([name]) => name.startsWith('io.k8s.apimachinery.'));
  return Object.fromEntries(shared) as Record<string, OpenApiPart>;
}
