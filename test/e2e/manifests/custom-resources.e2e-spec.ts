import { Module } from '@nestjs/common';
import { IsString } from 'class-validator';
import { CustomResource, customResourceDefinition, KopfModule, OnCreate, type CrdMode } from 'nestjs-kopf';
import { generateManifests } from 'nestjs-kopf/manifests';

class DiskSpec {
  @IsString()
  size: string;
}

@CustomResource({ group: 'example.com', spec: DiskSpec })
class Disk {
  spec: DiskSpec;
}

class DiskOperator {
  @OnCreate(Disk)
  create() {}
}

function moduleWith(crds?: CrdMode) {
  @Module({ imports: [KopfModule.forRoot({ enabled: false, crds })], providers: [DiskOperator] })
  class AppModule {}
  return AppModule;
}

describe('Manifests of an operator of typed resources', () => {
  it('should have the CRDs of the classes', async () => {
    const { objects, warnings } = await generateManifests(moduleWith(), { name: 'disks' });
    expect(objects['crd.yaml']).toEqual([customResourceDefinition(Disk)]);
    expect(warnings).toEqual([]);
  });

  it('should have a CRD that is given instead of the generated one', async () => {
    const crd = { ...customResourceDefinition(Disk), metadata: { name: 'disks.example.com', labels: { mine: 'yes' } } };
    const { objects } = await generateManifests(moduleWith(), { name: 'disks', crds: [crd as never] });
    expect(objects['crd.yaml']).toEqual([crd]);
  });

  it.each<[CrdMode, string[]]>([
    ['ignore', []],
    ['verify', ['get customresourcedefinitions disks.example.com']],
    [
      'apply',
      [
        'create customresourcedefinitions -',
        'get customresourcedefinitions disks.example.com',
        'patch customresourcedefinitions disks.example.com',
        'patch customresourcedefinitions/status disks.example.com',
      ],
    ],
  ])('should permit to %s the CRDs at the start, and no more', async (mode, expected) => {
    const { permissions } = await generateManifests(moduleWith(mode), { name: 'disks' });
    const found = permissions
      .filter(({ resource }) => resource.startsWith('customresourcedefinitions'))
      .filter(({ verb }) => verb !== 'list' && verb !== 'watch')
      .map(({ verb, resource, name = '-' }) => `${verb} ${resource} ${name}`);
    expect(found.sort()).toEqual(expected);
  });
});
