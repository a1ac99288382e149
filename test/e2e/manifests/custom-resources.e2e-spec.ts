import { Module } from '@nestjs/common';
import { IsString } from 'class-validator';
import { Convert, KopfModule, OnCreate, type ConversionContext } from 'nestjs-kopf';
import { CustomResource, customResourceDefinition, type CrdMode } from 'nestjs-kopf/crd';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { generateManifests } from 'nestjs-kopf-cli';

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

  describe('with conversions', () => {
    @CustomResource({ group: 'example.com', kind: 'Disk', version: 'v1beta1', spec: DiskSpec })
    class OldDisk {}

    class DiskConversions {
      @Convert(Disk, { from: OldDisk, to: Disk })
      up({ spec }: ConversionContext) {
        return { spec: { size: String(spec.size) } };
      }
      @Convert(Disk, { from: Disk, to: OldDisk })
      down({ spec }: ConversionContext) {
        return { spec };
      }
    }

    async function generate(managed: string | null) {
      const server = new WebhookServer({ port: 9443, service: { name: 'disks' } });
      const imports = [KopfModule.forRoot({ enabled: false, admission: { server, managed } })];
      @Module({ imports, providers: [DiskConversions] })
      class AppModule {}
      const { objects, permissions } = await generateManifests(AppModule, { name: 'disks', namespace: 'ns' });
      const rights = permissions.filter(({ resource }) => resource === 'customresourcedefinitions');
      return { crd: objects['crd.yaml'][0] as any, rights: rights.map(({ verb, name = '-' }) => `${verb} ${name}`) };
    }

    it('should name the service in the CRD, unless the operator does', async () => {
      const { crd, rights } = await generate(null);
      expect(crd.spec.conversion).toEqual({
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { name: 'disks', namespace: 'ns', path: '/convert/disks.example.com' } },
          conversionReviewVersions: ['v1'],
        },
      });
      expect(rights).not.toContain('patch disks.example.com');
    });

    it('should permit the operator to name it', async () => {
      const { crd, rights } = await generate('disks.example.com');
      expect(crd.spec.conversion).toBeUndefined();
      expect(crd.spec.versions).toHaveLength(2);
      expect(rights).toContain('patch disks.example.com');
      expect(rights).not.toContain('get disks.example.com');
    });
  });
});
