import { makeResource } from '../../../../test/support/objects/resources.js';
import { Redactor, type RedactedFields } from './redactor.js';
import { EVERYTHING } from './resource-criteria.js';
import type { Resource } from './resources.js';

const CANARY = 'canary';
const object = {
  metadata: { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":"${CANARY}"}` } },
  data: { password: CANARY, 'app.properties': CANARY, name: 'shown' },
};
const resource = (plural: string, parts: Partial<Resource> = {}): Resource =>
  makeResource({ plural, kind: 'Example', singular: 'example', ...parts });
const core = (plural: string, kind: string): Resource => resource(plural, { group: '', version: 'v1', kind });
const configMaps = core('configmaps', 'ConfigMap');
const redactorOf = (...fields: RedactedFields[]): Redactor => new Redactor({ fields });

describe('Redactor', () => {
  it('should leave out the values of Secrets, and of nothing else, by default', () => {
    const redactor = new Redactor();
    expect(JSON.stringify(redactor.object(core('secrets', 'Secret'), object))).not.toContain(CANARY);
    expect(redactor.object(configMaps, object)).toBe(object);
    expect(redactor.object(resource('secrets', { group: 'example.com', kind: 'Secret' }), object)).toBe(object);
    expect(redactor.patch(core('secrets', 'Secret'), { stringData: { a: CANARY } })).toEqual({
      stringData: { a: '***' },
    });
    expect(redactor.diff(core('secrets', 'Secret'), [['add', ['data', 'a'], null, CANARY]])).toEqual([
      ['add', ['data', 'a'], null, '***'],
    ]);
  });

  it.each<[RedactedFields['resource']]>([
    ['configmaps'],
    ['ConfigMap'],
    [['v1', 'configmaps']],
    [{ kind: 'ConfigMap' }],
    [EVERYTHING],
  ])('should leave out the fields of resources that the settings name, with copies in annotations: %s', (which) => {
    const redactor = redactorOf({ resource: which, fields: ['data.password', ['data', 'app.properties']] });
    expect(redactor.object(configMaps, object)).toEqual({
      metadata: { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '***' } },
      data: { password: '***', 'app.properties': '***', name: 'shown' },
    });
  });

  it('should leave other resources as they are', () => {
    const redactor = redactorOf({ resource: 'deployments.apps', fields: ['data'] });
    expect(redactor.object(configMaps, object)).toBe(object);
    expect(redactor.object(resource('deployments', { group: 'apps' }), { data: 1 })).toEqual({ data: '***' });
  });

  it('should take a rule without a version for all versions', () => {
    const redactor = redactorOf({ resource: 'examples', fields: ['spec'] });
    const old = resource('examples', { version: 'v1beta1', preferred: false });
    expect(redactor.object(old, { spec: 1 })).toEqual({ spec: '***' });
  });

  it('should read the settings when they are needed', () => {
    const settings: { fields: readonly RedactedFields[] } = { fields: [] };
    const redactor = new Redactor(settings);
    expect(redactor.object(configMaps, object)).toBe(object);
    settings.fields = [{ resource: 'configmaps', fields: [''] }];
    expect(JSON.stringify(redactor.object(configMaps, object))).not.toContain(CANARY);
  });

  it.each<[string, boolean]>([
    ['/api/v1/namespaces/ns/secrets/a', true],
    ['/api/v1/namespaces/ns/secrets?limit=1', true],
    ['/api/v1/secrets', true],
    ['/api/v1/namespaces/ns/configmaps/a', true],
    ['/apis/kopf.dev/v1/namespaces/ns/examples/a/status', true],
    ['/apis/other.dev/v1/namespaces/ns/examples/a', false],
    ['/apis/example.com/v1/secrets', false],
    ['/api/v1/namespaces/secrets', false],
    ['/api/v1/namespaces/secrets/pods/secrets', false],
    ['/version', false],
  ])('should recognise requests: %s', (path, expected) => {
    const rules = [
      { resource: 'ConfigMap', fields: ['data'] },
      { resource: 'examples.kopf.dev', fields: ['spec'] },
    ];
    const redactor = redactorOf(...rules);
    redactor.learn([configMaps]);
    expect(redactor.protectsPath(path)).toBe(expected);
  });
});
