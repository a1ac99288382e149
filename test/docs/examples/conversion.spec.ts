import { KopfTest } from 'nestjs-kopf/testing';
import { DisksModule, testConversions } from './conversion.example.js';

describe('The examples of conversions', () => {
  it('should convert disks between their versions, and lose nothing', async () => {
    await using test = await KopfTest.create({ imports: [DisksModule] });
    const old = (name: string, size: string) => ({
      apiVersion: 'example.com/v1alpha1',
      kind: 'Disk',
      metadata: { name },
      spec: { size },
    });
    const as = (version: string) => ({ apiVersion: `example.com/${version}`, kind: 'Disk', metadata: { name: 'a' } });
    await test.apply(old('a', '5Gi'));
    expect(await test.read(as('v1'))).toMatchObject({ spec: { gigabytes: 5, tier: 'standard' } });
    await test.patch(as('v1'), { spec: { tier: 'fast' } });
    await test.patch(as('v1alpha1'), { spec: { size: '6Gi' } });
    expect(await test.read(as('v1'))).toMatchObject({ spec: { gigabytes: 6, tier: 'fast' } });
  });

  it('should send random disks to the other version and back', async () => {
    const { ways, objects } = await testConversions();
    expect(ways).toEqual(['disks.example.com v1 > v1alpha1 > v1', 'disks.example.com v1alpha1 > v1 > v1alpha1']);
    expect(objects).toBe(400);
  });
});
