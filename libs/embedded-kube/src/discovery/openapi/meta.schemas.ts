import type { OpenApiDialect, OpenApiPart } from './open-api.dialects.js';

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

const TEXT = { type: 'string' };
const NUMBER = { type: 'integer', format: 'int64' };
const FLAG = { type: 'boolean' };
const TEXTS = { type: 'array', items: TEXT };
const TEXT_MAP = { type: 'object', additionalProperties: TEXT };

/** The schemas that all resources share. */
export function metaSchemas({ reference }: OpenApiDialect): Record<string, OpenApiPart> {
  const time = reference(META_SCHEMAS.time);
  return {
    [META_SCHEMAS.time]: { type: 'string', format: 'date-time' },
    [META_SCHEMAS.fieldsV1]: { type: 'object' },
    [META_SCHEMAS.patch]: { type: 'object' },
    [META_SCHEMAS.ownerReference]: {
      type: 'object',
      required: ['apiVersion', 'kind', 'name', 'uid'],
      properties: { apiVersion: TEXT, blockOwnerDeletion: FLAG, controller: FLAG, kind: TEXT, name: TEXT, uid: TEXT },
    },
    [META_SCHEMAS.managedFieldsEntry]: {
      type: 'object',
      properties: {
        apiVersion: TEXT,
        fieldsType: TEXT,
        fieldsV1: reference(META_SCHEMAS.fieldsV1),
        manager: TEXT,
        operation: TEXT,
        subresource: TEXT,
        time,
      },
    },
    [META_SCHEMAS.objectMeta]: {
      description: 'The metadata that every stored object has.',
      type: 'object',
      properties: {
        annotations: TEXT_MAP,
        creationTimestamp: time,
        deletionGracePeriodSeconds: NUMBER,
        deletionTimestamp: time,
        finalizers: TEXTS,
        generateName: TEXT,
        generation: NUMBER,
        labels: TEXT_MAP,
        managedFields: { type: 'array', items: reference(META_SCHEMAS.managedFieldsEntry) },
        name: TEXT,
        namespace: TEXT,
        ownerReferences: { type: 'array', items: reference(META_SCHEMAS.ownerReference) },
        resourceVersion: TEXT,
        selfLink: TEXT,
        uid: TEXT,
      },
    },
    [META_SCHEMAS.listMeta]: {
      type: 'object',
      properties: { continue: TEXT, remainingItemCount: NUMBER, resourceVersion: TEXT, selfLink: TEXT },
    },
    [META_SCHEMAS.preconditions]: { type: 'object', properties: { resourceVersion: TEXT, uid: TEXT } },
    [META_SCHEMAS.deleteOptions]: {
      type: 'object',
      properties: {
        apiVersion: TEXT,
        dryRun: TEXTS,
        gracePeriodSeconds: NUMBER,
        kind: TEXT,
        orphanDependents: FLAG,
        preconditions: reference(META_SCHEMAS.preconditions),
        propagationPolicy: TEXT,
      },
    },
    [META_SCHEMAS.status]: {
      type: 'object',
      properties: { apiVersion: TEXT, code: NUMBER, kind: TEXT, message: TEXT, reason: TEXT, status: TEXT },
    },
  };
}
