import type { WebhookRuleSpec } from '../configuration/webhook.types.js';
import { type RequestedResource, WebhookRule } from './webhook.rule.js';

const RULE: WebhookRuleSpec = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const REQUEST: RequestedResource = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  plural: 'pods',
  subresource: '',
  namespace: 'default',
};
const NAMESPACE = { plural: 'namespaces', namespace: 'one' };
const CLUSTER_WIDE = { plural: 'nodes', namespace: '' };

describe('WebhookRule', () => {
  it.each<[string, Partial<WebhookRuleSpec>, Partial<RequestedResource>, boolean]>([
    ['what it names', {}, {}, true],
    ['another operation', {}, { operation: 'UPDATE' }, false],
    ['any operation', { operations: ['*'] }, { operation: 'DELETE' }, true],
    ['another group', {}, { group: 'apps' }, false],
    ['any group', { apiGroups: ['*'] }, { group: 'apps' }, true],
    ['another version', {}, { version: 'v2' }, false],
    ['any version', { apiVersions: ['*'] }, { version: 'v2' }, true],
    ['another resource', {}, { plural: 'secrets' }, false],
    ['a subresource by its resource', {}, { subresource: 'status' }, false],
    ['a subresource by its name', { resources: ['pods/status'] }, { subresource: 'status' }, true],
    ['the resource by a subresource', { resources: ['pods/status'] }, {}, false],
    ['all resources', { resources: ['*'] }, {}, true],
    ['a subresource by all resources', { resources: ['*'] }, { subresource: 'status' }, false],
    ['everything', { resources: ['*/*'] }, { subresource: 'status' }, true],
    ['a resource by everything', { resources: ['*/*'] }, {}, true],
    ['all subresources of a resource', { resources: ['pods/*'] }, { subresource: 'log' }, true],
    ['a resource by all its subresources', { resources: ['pods/*'] }, {}, true],
    ['a subresource of all resources', { resources: ['*/scale'] }, { subresource: 'scale' }, true],
    ['another subresource of all resources', { resources: ['*/scale'] }, { subresource: 'status' }, false],
    ['any scope', { scope: '*' }, {}, true],
    ['what is in a namespace', { scope: 'Namespaced' }, {}, true],
    ['what is in a namespace by the cluster', { scope: 'Cluster' }, {}, false],
    ['what is in none', { scope: 'Cluster', resources: ['*'] }, CLUSTER_WIDE, true],
    ['what is in none by namespaces', { scope: 'Namespaced', resources: ['*'] }, CLUSTER_WIDE, false],
    ['a namespace as what is in none', { scope: 'Cluster', resources: ['*'] }, NAMESPACE, true],
    ['a namespace as what is in itself', { scope: 'Namespaced', resources: ['*'] }, NAMESPACE, false],
  ])('should decide about %s', (_, spec, request, expected) => {
    expect(new WebhookRule({ ...RULE, ...spec }).matches({ ...REQUEST, ...request })).toBe(expected);
  });
});
