import { BOOL, type CelType, DYN, listOf, mapOf, STRING, struct } from '../../../cel/values/cel.type.js';

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

function type(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  // Expressions cannot name a field that is a word of the language as it is.
  const escaped = Object.entries(fields).map(
    ([key, field]) => [key === 'namespace' ? '__namespace__' : key, field] as const,
  );
  return struct(name, new Map([...Object.entries(fields), ...escaped]));
}
