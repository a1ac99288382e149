// The words that random requests are made of: methods, media types, parameters, paths and headers, usual and not.

export const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'get',
  'BREW',
  '__proto__',
];
export const PATCHES = ['merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];
// prettier-ignore
export const TYPES = [
  'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor', 'application/xml',
  ...PATCHES.map((type) => `application/${type}`),
  '', ';', 'x', 'application/json; charset=', 'APPLICATION/JSON', 'text/plain', `${'a'.repeat(5000)}/b`, '*/*',
];
// prettier-ignore
export const ACCEPTS = [
  'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', '*/*', '', ';', ',,,', 'q=0', 'text/*;q=x',
  ...['Table', 'PartialObjectMetadata', 'Nope'].map((as) => `application/json;as=${as};v=v1;g=meta.k8s.io,application/json`),
  'application/json;as=Table;v=v1;g=', 'application/json;stream=watch', ';as=;v=;g=', `${'a/b,'.repeat(5000)}*/*`,
];
// prettier-ignore
export const PARAMETERS = [
  'limit', 'continue', 'labelSelector', 'fieldSelector', 'resourceVersion', 'resourceVersionMatch', 'timeoutSeconds', 'pretty', 'dryRun',
  'fieldManager', 'fieldValidation', 'force', 'propagationPolicy', 'gracePeriodSeconds', 'orphanDependents', 'timeout',
  'sendInitialEvents', 'allowWatchBookmarks', 'includeObject', 'container', 'tailLines', 'sinceTime', 'command', 'shardSelector',
  'ignoreStoreReadErrorWithClusterBreakingPotential', 'exclude', 'verbose', 'limitBytes', '__proto__',
];
// prettier-ignore
export const PATH_PARTS = [
  'api', 'apis', 'v1', 'apps', 'namespaces', 'default', 'pods', 'deployments', 'watch', 'status', 'scale', 'openapi', 'v2', 'v3', '%',
  '%00', '%2F', '%2e%2e', '..', '.', '%ff', '%F0%9F', '__proto__', 'constructor', '~', '*', '{}', 'x'.repeat(5000), 'readyz', 'healthz',
  'metrics', 'version', 'log', 'exec', 'proxy', 'example.com', '.well-known', 'customresourcedefinitions',
];
export const IMPERSONATION = [
  'impersonate-user',
  'impersonate-group',
  'impersonate-uid',
  'impersonate-extra-%',
  'impersonate-extra-a',
];
export const POLICIES = '/apis/admissionregistration.k8s.io/v1';
