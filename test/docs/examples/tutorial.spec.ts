import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { generateManifests } from 'nestjs-kopf-cli';
import { customResourceDefinition } from 'nestjs-kopf/crd';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { GUIDES } from '../support/pages.js';
import { AppModule } from './tutorial/src/app.module.js';
import { WebsiteOperator } from './tutorial/src/website.operator.js';
import { Website } from './tutorial/src/website.resource.js';

/** The YAML documents of the tutorial, as its readers apply them. */
const manifests = [...readFileSync(join(GUIDES, 'tutorial.md'), 'utf8').matchAll(/^```yaml.*\n([^]*?)^```$/gm)].map(
  ([, text]) => load(text) as { kind: string; metadata: { name: string } },
);
const WEBSITES = '/apis/example.com/v1/namespaces/ns/websites';

describe('The operator of the tutorial', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start({ definition: false, kube: { pods: true } });
    const definition = customResourceDefinition(Website);
    await harness.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await harness.run(WebsiteOperator);
    await harness.send(
      'POST',
      WEBSITES,
      manifests.find(({ kind }) => kind === 'Website'),
    );
    await harness.advance(30);
  });

  it('should make the page and the server of a website, and observe them', async () => {
    const website = await harness.send('GET', `${WEBSITES}/hello`);
    expect(website.status).toMatchObject({ create: { pod: 'hello-server' }, phase: 'Running' });
    const map = await harness.send('GET', '/api/v1/namespaces/ns/configmaps/hello-page');
    expect(map.data).toEqual({ 'index.html': website.spec.html });
    expect(harness.logger.messages('log')).toContain('[ns/hello] The website hello of ns is on its way.');
  });

  it('should follow changes of the page and of labels', async () => {
    await harness.send('PATCH', `${WEBSITES}/hello`, {
      spec: { html: '<h1>Bye</h1>' },
      metadata: { labels: { team: 'web' } },
    });
    await harness.advance(10);
    const map = await harness.send('GET', '/api/v1/namespaces/ns/configmaps/hello-page');
    expect(map.data).toEqual({ 'index.html': '<h1>Bye</h1>' });
    const pod = await harness.send('GET', '/api/v1/namespaces/ns/pods/hello-server');
    expect(pod.metadata.labels).toEqual({ team: 'web' });
    await harness.send('PATCH', `${WEBSITES}/hello`, { metadata: { labels: { team: null, stage: 'test' } } });
    await harness.advance(10);
    const relabelled = await harness.send('GET', '/api/v1/namespaces/ns/pods/hello-server');
    expect(relabelled.metadata.labels).toEqual({ stage: 'test' });
    expect(harness.logger.messages('error')).toEqual([]);
  });

  it('should have everything go with the website', async () => {
    await harness.send('DELETE', `${WEBSITES}/hello`);
    await harness.advance(60);
    for (const path of ['configmaps/hello-page', 'pods/hello-server']) {
      await expect(harness.send('GET', `/api/v1/namespaces/ns/${path}`)).rejects.toThrow('404');
    }
  });

  it('should name what is not HTML', async () => {
    await harness.send('POST', WEBSITES, {
      apiVersion: 'example.com/v1',
      kind: 'Website',
      metadata: { name: 'plain' },
      spec: { html: 'text' },
    });
    await harness.advance(10);
    expect(harness.logger.messages('error').join()).toContain('The page of plain is not HTML.');
  });

  it('should have permissions for everything that it does', async () => {
    const { files, warnings } = await generateManifests(AppModule, { name: 'websites', namespace: 'websites' });
    expect(warnings).toEqual([]);
    const documents = loadAll(files['rbac.yaml']) as {
      kind: string;
      rules: { resources: string[]; verbs: string[] }[];
    }[];
    const role = documents.find(({ kind }) => kind === 'ClusterRole')!;
    const granted = role.rules.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
    );
    expect(granted).toEqual(
      expect.arrayContaining([
        'list websites',
        'watch websites',
        'patch websites',
        'create configmaps',
        'patch configmaps',
        'create pods',
        'get pods',
        'patch pods',
        'create events',
      ]),
    );
  });
});
