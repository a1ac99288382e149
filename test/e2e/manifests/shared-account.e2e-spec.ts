import { loadAll } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';
import { generateManifests, readGrants, verifyPermissions, type ManifestOptions } from 'nestjs-kopf-cli';
import { EXHIBITS } from './apps.js';

const place = { namespace: 'operators', account: 'gallery' };

function generate(feature: string, options: Partial<ManifestOptions> = {}) {
  const { createModule, options: own } = EXHIBITS[feature];
  return generateManifests(createModule(), { ...own, ...place, ...options });
}

const parse = (text: string): any[] => loadAll(text) as any[];

describe('Operators that share a service account', () => {
  it('should run under it, each with roles of its own, and leave it to others to make it', async () => {
    for (const feature of ['timers', 'hierarchies']) {
      const { objects } = await generate(feature);
      const all: readonly any[] = Object.values(objects).flat();
      expect(all.filter(({ kind }) => kind === 'ServiceAccount')).toEqual([]);
      const bindings = all.filter(({ kind }) => kind.endsWith('Binding'));
      expect(bindings.length).toBeGreaterThan(0);
      for (const { roleRef, subjects } of bindings) {
        expect(roleRef.name).toBe(`gallery-${feature}`);
        expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'gallery', namespace: 'operators' }]);
      }
      const deployment = all.find(({ kind }) => kind === 'Deployment');
      expect(deployment.metadata.name).toBe(`gallery-${feature}`);
      expect(deployment.spec.template.spec.serviceAccountName).toBe('gallery');
    }
  });

  it('should have files that can be deployed together', async () => {
    const all = await Promise.all(Object.keys(EXHIBITS).map((feature) => generate(feature)));
    const objects: readonly KubeObject[] = all.flatMap((one) => [
      ...one.objects['rbac.yaml'],
      ...one.objects['deployment.yaml'],
    ]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('should be verified by what the account is allowed to do', async () => {
    const { permissions: required, objects } = await generate('timers');
    const roles = objects['rbac.yaml'];
    const verify = (account?: string) =>
      verifyPermissions({
        required,
        ...readGrants(roles, { name: 'gallery-timers', namespace: 'operators', account }),
      }).map(({ kind }) => kind);
    expect(verify('gallery')).toEqual([]);
    expect(new Set(verify())).toEqual(new Set(['missing']));
    const { objects: others } = await generate('hierarchies');
    const both = readGrants([...roles, ...others['rbac.yaml']], { name: 'gallery-timers', ...place });
    const findings = verifyPermissions({ required, ...both });
    expect(findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      expect.stringMatching(/^superfluous: .* ClusterRole gallery-hierarchies .* create, patch configmaps/),
      expect.stringMatching(/^superfluous: .* ClusterRole gallery-hierarchies .* update kopfexamples.*finalizers/),
    ]);
  });

  it('should be charts and bundles without the account', async () => {
    const { files: chart } = await generate('timers', { format: 'helm', namespacesVariable: 'WATCH_NAMESPACES' });
    expect(chart['templates/rbac.yaml']).toMatch(/^\{\{- if \.Values\.namespaces \}\}\n/);
    expect(chart['templates/rbac.yaml']).not.toMatch(/^kind: ServiceAccount$/m);
    expect(chart['templates/deployment.yaml']).toContain('serviceAccountName: gallery\n');
    const { files: bundle } = await generate('timers', { format: 'olm', olm: { version: '1.2.3' } });
    const [{ spec }] = parse(bundle['manifests/gallery-timers.clusterserviceversion.yaml']);
    expect(spec.install.spec.clusterPermissions).toMatchObject([{ serviceAccountName: 'gallery' }]);
    expect(spec.install.spec.deployments[0].spec.template.spec.serviceAccountName).toBe('gallery');
  });
});
