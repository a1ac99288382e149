const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** The published descriptions of the fields that all objects and lists have, as `kubectl explain` prints them. */
export const COMMON_DESCRIPTIONS = {
  apiVersion:
    'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the ' +
    `latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`,
  kind:
    'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the ' +
    `client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
  metadata: `Standard object's metadata. More info: ${CONVENTIONS}#metadata`,
  listMetadata: `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`,
  items: (plural: string): string => `List of ${plural}. More info: ${CONVENTIONS}`,
} as const;
