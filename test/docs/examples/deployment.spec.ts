import { loadAll } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';
import { readManifests } from '../../support/clusters/manifests.js';
import { generate, generateChart, generateWebhooks, verify } from './deployment.example.js';

const crds = readManifests('gallery/crd.yaml');

describe('The examples of manifests', () => {
  it('should be a chart', async () => {
    const paths = Object.keys(await generateChart(crds)).sort();
    expect(paths).toEqual([
      'Chart.yaml',
      'crds/crd.yaml',
      'templates/deployment.yaml',
      'templates/disruption.yaml',
      'templates/rbac.yaml',
      'values.yaml',
    ]);
  });

  it('should be generated and verified', async () => {
    const text = await generate(crds);
    expect(text).toContain('As @Needs declares: SettingsOperator.');
    const objects = loadAll(text) as KubeObject[];
    const request = {
      verb: 'get',
      resource: 'secrets',
      subresource: '',
      namespace: 'a',
      name: 'b',
      query: new URLSearchParams(),
    };
    expect(await verify(crds, objects, [{ ...request, status: 200 }])).toContain(
      'undeclared: The run has used the permission to get secrets in the namespace a, of which neither handlers nor options tell: ' +
        'declare it by @Needs() on the class that does it.',
    );
    expect(await verify(crds, [], [])).toContain(
      'missing: No rule permits to create configmaps, which is needed. As @Needs declares: SettingsOperator.',
    );
  });

  it('should generate the configurations of webhooks', async () => {
    expect(await generateWebhooks()).toContain('cert-manager.io/inject-ca-from: default/guard-webhooks');
  });
});
