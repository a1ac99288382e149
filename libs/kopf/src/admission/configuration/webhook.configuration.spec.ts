import { makeResource } from '../../../../../test/support/objects/resources.js';
import { ABSENT, PRESENT } from '../../contexts/filter-options.js';
import type { Resource } from '../../resources/resources.js';
import type { AdmissionHandler } from '../../registry/handler.js';
import { parseSelector } from '../../resources/selectors.js';
import { createWebhooks } from './webhook.configuration.js';

const resource = (plural: string, group = 'kopf.dev'): Resource =>
  makeResource({ group, plural, kind: plural, singular: plural, categories: ['all'] });

const resources = [resource('kopfexamples'), resource('others')];

function make(...handlers: Partial<AdmissionHandler>[]): any[] {
  const all = handlers.map((handler) => ({
    id: 'check',
    kind: 'validate' as const,
    title: '',
    source: '',
    invoke: () => undefined,
    selector: parseSelector(['kopfexamples']),
    ...handler,
  }));
  return [...createWebhooks({ handlers: all, resources, managed: 'my.op', clientConfig: { url: 'https://host/' } })];
}

describe('makeWebhooks', () => {
  it('should have the defaults of Kopf', () => {
    expect(make({})).toEqual([
      {
        name: 'check.my.op',
        sideEffects: 'None',
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        rules: [
          {
            apiGroups: ['kopf.dev'],
            apiVersions: ['v1'],
            resources: ['kopfexamples'],
            operations: ['*'],
            scope: '*',
          },
        ],
        objectSelector: null,
        clientConfig: { url: 'https://host/check' },
        timeoutSeconds: 30,
        admissionReviewVersions: ['v1', 'v1beta1'],
      },
    ]);
  });

  it.each<[Partial<AdmissionHandler>, object]>([
    [{ sideEffects: true }, { sideEffects: 'NoneOnDryRun' }],
    [{ ignoreFailures: true }, { failurePolicy: 'Ignore' }],
    [{ operations: ['DELETE'] }, { rules: [{ operations: ['DELETE'] }] }],
    [{ subresource: 'status' }, { rules: [{ resources: ['kopfexamples/status'] }] }],
    [{ subresource: '*' }, { rules: [{ resources: ['kopfexamples', 'kopfexamples/*'] }] }],
    [
      { selector: parseSelector([{ category: 'all' }]) },
      { rules: [{ resources: ['kopfexamples'] }, { resources: ['others'] }] },
    ],
    [{ selector: parseSelector(['nothing']) }, { rules: [] }],
    [{ labels: { a: 'b' } }, { objectSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } }],
    [{ labels: { a: PRESENT } }, { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }],
    [{ labels: { a: ABSENT } }, { objectSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] } }],
    [{ labels: { a: () => true } }, { objectSelector: null }],
    [
      { matchConditions: [{ name: 'a', expression: 'true' }] },
      { matchConditions: [{ name: 'a', expression: 'true' }] },
    ],
  ])('should tell Kubernetes of %j', (handler, expected) => {
    expect(make(handler)).toMatchObject([expected]);
  });

  it('should make one webhook of several decorators that differ in what they are for', () => {
    expect(make({ operations: ['CREATE'] }, { operations: ['DELETE'] })).toMatchObject([
      { name: 'check.my.op', rules: [{ operations: ['CREATE'] }, { operations: ['DELETE'] }] },
    ]);
  });

  it('should number the webhooks of several decorators that differ otherwise', () => {
    expect(make({}, { ignoreFailures: true }).map(({ name }) => name)).toEqual(['check.my.op', 'check-2.my.op']);
  });
});
