import {
  BOOL,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from '../../../cel/values/cel.type.js';

const GROUP_VERSION_KIND = type('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const GROUP_VERSION_RESOURCE = type('kubernetes.GroupVersionResource', {
  group: STRING,
  version: STRING,
  resource: STRING,
});
const USER_INFO = type('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
});

/** The type of `request` in the expressions of admission. */
export const ADMISSION_REQUEST: CelType = type('kubernetes.AdmissionRequest', {
  kind: GROUP_VERSION_KIND,
  resource: GROUP_VERSION_RESOURCE,
  subResource: STRING,
  requestKind: GROUP_VERSION_KIND,
  requestResource: GROUP_VERSION_RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER_INFO,
  dryRun: BOOL,
  options: DYN,
});

/** The type of `namespaceObject` in the expressions of policies. */
export const NAMESPACE_OBJECT: CelType = type('kubernetes.Namespace', {
  metadata: type('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    // As the real server has it.
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: type('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: type('kubernetes.NamespaceStatus', {
    phase: STRING,
    conditions: listOf(
      type('kubernetes.NamespaceCondition', {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
  }),
});

function type(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  // Expressions cannot name a field that is a word of the language as it is.
  const escaped = Object.entries(fields).map(
    ([key, field]) => [key === 'namespace' ? '__namespace__' : key, field] as const,
  );
  return struct(name, new Map([...Object.entries(fields), ...escaped]));
}
