import { Injectable, Module, type Type } from '@nestjs/common';
import { KopfModule, Needs, OnChild, OnCreate, OnEvent, OnReference, References, type KubeObject } from 'nestjs-kopf';
import {
  generateManifests,
  readGrants,
  verifyPermissions,
  type GeneratedManifests,
  type RequiredPermission,
} from 'nestjs-kopf-cli';
import { formatManifest } from '../../../libs/kopf-cli/src/manifests/output/yaml.format.js';
import { PermissionCollector } from '../../../libs/kopf/src/inspection/permissions/permission.collector.js';
import { createRbac } from '../../../libs/kopf-cli/src/manifests/rbac/rbac.manifests.js';
import { readManifests } from '../../support/clusters/manifests.js';
import { APPS, EXHIBITS, type App } from './apps.js';
import { PermittedCluster } from './permitted.cluster.js';
import { isIn, withoutEachVerb, type RbacObject } from './removals.js';
import { SCENARIOS } from './scenarios.js';

const namespace = 'default';

async function run(name: string, app: App, objects: readonly KubeObject[]) {
  const cluster = await PermittedCluster.start(app.options.name, app.options.crds ?? []);
  try {
    await cluster.create(objects);
    return await cluster.run(app.createModule, (client, signal) =>
      SCENARIOS[name]({ client, signal, clock: cluster.clock }),
    );
  } finally {
    await cluster.stop();
  }
}

describe.each(Object.entries(APPS))('The generated rules of the application %s', (name, app) => {
  const account = { name: app.options.name, namespace };
  let objects: readonly RbacObject[];
  let required: GeneratedManifests['permissions'];
  let optional: GeneratedManifests['optional'];

  beforeAll(async () => {
    const generated = await generateManifests(app.createModule(), app.options);
    ({ optional } = generated);
    objects = generated.objects['rbac.yaml'] as readonly RbacObject[];
    required = generated.permissions;
    expect(generated.warnings).toEqual([]);
  });

  it('should be those of its manifests', async () => {
    const { files } = await generateManifests(app.createModule(), app.options);
    await expect(files['rbac.yaml']).toMatchFileSnapshot(`../../../k8s/${name}/rbac.yaml`);
    expect(verifyPermissions({ required, ...readGrants(objects, account) })).toEqual([]);
  });

  it('should permit all that it does, and nothing that it does not do', async () => {
    const { observed, error } = await run(name, app, objects);
    if (error) throw error;
    const findings = verifyPermissions({ required, optional, observed });
    expect(observed.refused.every(({ resource }) => resource === 'customresourcedefinitions')).toBe(true);
    expect(findings.map(({ message }) => message)).toEqual([]);
  });

  it('should each be missed when it is taken out, and each of their verbs', async () => {
    for (const { removed, objects: changed } of withoutEachVerb(objects)) {
      const findings = verifyPermissions({ required, ...readGrants(changed, account) });
      expect(findings.map(({ kind }) => kind)).toEqual(['missing']);
      expect(findings[0].permissions.every((each) => isIn(removed, each))).toBe(true);
      const { observed } = await run(name, app, changed);
      // What may become of an owner is checked when its dependants are created.
      const isOfOwners = removed.resources[0].endsWith('/finalizers');
      const refused = observed.refused.filter((each) => (isOfOwners ? each.verb === 'create' : isIn(removed, each)));
      expect(refused.length, JSON.stringify(removed)).toBeGreaterThan(0);
    }
  });
});

/** Brings the permissions of several operators with one account together. */
function unite(permissions: readonly RequiredPermission[]): readonly RequiredPermission[] {
  const collector = new PermissionCollector();
  for (const { verb, name, namespace: place, reasons, ...resource } of permissions) {
    const names = name === undefined ? undefined : [name];
    for (const reason of reasons) collector.add({ ...resource, ...reason, verbs: [verb], names, namespaces: [place] });
  }
  return collector.all;
}

@References('spec.secretRef', 'secrets')
class RelatedOperator {
  @OnReference('pods')
  refer() {}

  @OnChild('pods', 'services')
  count() {}
}

@Module({ imports: [KopfModule.forRoot()], providers: [RelatedOperator] })
class RelatedModule {}

@Injectable()
@Needs({ configmaps: ['create'] })
class Creating {}

@Injectable()
class Handling {
  @OnCreate('kopfexamples.kopf.dev')
  create() {}

  @OnEvent('secrets')
  note() {}
}

@Injectable()
@Needs({ services: ['create'], 'widgets.example.com/finalizers': [] })
class Excluded {
  @OnCreate('widgets.example.com')
  make() {}
}

@Injectable()
class Parent {
  @OnChild('kopfexamples.kopf.dev', 'pods')
  count() {}
}

describe('The rules for owners of objects', () => {
  const ownersOf = async (...providers: Type[]): Promise<string[]> => {
    @Module({ imports: [KopfModule.forRoot({ peering: { standalone: true } })], providers })
    class Owners {}
    const { permissions } = await generateManifests(Owners, { name: 'owners', image: 'owners:1' });
    const found = permissions.filter(({ resource }) => resource.endsWith('/finalizers'));
    return found.map(({ verb, resource, group }) => `${verb} ${resource} ${group}`);
  };
  const update = 'update kopfexamples/finalizers kopf.dev';

  it.each<[string, Type[], string[]]>([
    ['a handler whose operator creates nothing', [Handling], []],
    ['a handler that can call a class which creates objects', [Handling, Creating], [update]],
    ['a handler of children', [Parent], [update]],
    ['a handler whose class says that it needs none', [Excluded], []],
    ['a handler beside another class with handlers that creates objects', [Handling, Excluded], []],
  ])('should be there for %s, or not', async (_what, providers, expected) => {
    expect(await ownersOf(...providers)).toEqual(expected);
  });

  it('should be missed where they are not permitted', async () => {
    @Module({ imports: [KopfModule.forRoot({ peering: { standalone: true } })], providers: [Handling, Creating] })
    class Owners {}
    const { permissions: required } = await generateManifests(Owners, { name: 'owners', image: 'owners:1' });
    const granted = required
      .filter(({ resource }) => !resource.endsWith('/finalizers'))
      .map((permission) => ({ ...permission, origin: 'rule' }));
    expect(verifyPermissions({ required, granted })).toMatchObject([
      { kind: 'missing', message: expect.stringContaining('update kopfexamples.kopf.dev/finalizers') as string },
    ]);
  });
});

describe('The rules of handlers of children and references', () => {
  it('should let the operator follow the related objects', async () => {
    const { permissions } = await generateManifests(RelatedModule, { name: 'related', image: 'related:1' });
    for (const [resource, method] of [
      ['services', 'count'],
      ['secrets', 'refer'],
    ]) {
      const reasons = [{ purpose: 'to follow related objects', sources: [`RelatedOperator.${method}`] }];
      for (const verb of ['list', 'watch']) expect(permissions).toContainEqual({ group: '', resource, verb, reasons });
      expect(permissions).not.toContainEqual(expect.objectContaining({ resource, verb: 'patch' }));
    }
  });
});

describe('The rules of the gallery', () => {
  const account = { name: 'gallery', namespace };

  it('should be what its applications need together', async () => {
    const generated = await Promise.all(
      Object.values(EXHIBITS).map((app) => generateManifests(app.createModule(), app.options)),
    );
    const required = generated.flatMap(({ permissions }) => permissions);
    const rules = formatManifest(createRbac(unite(required), account));
    await expect(rules).toMatchFileSnapshot('../../../k8s/gallery/rbac.yaml');
    const { granted } = readGrants(readManifests('gallery/rbac.yaml'), account);
    expect(verifyPermissions({ required, granted }).map(({ message }) => message)).toEqual([]);
  });
});
