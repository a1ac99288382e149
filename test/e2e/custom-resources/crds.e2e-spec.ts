import * as v from 'class-validator';
import {
  KopfBootstrapError,
  KopfRegistry,
  OnCreate,
  OnDelete,
  type ChangeContext,
  type KubeObject,
  type ObjectClass,
} from 'nestjs-kopf';
import {
  CelRule,
  CustomResource,
  CustomResourceError,
  customResourceDefinition,
  Default,
  Field,
  Immutable,
  IntOrString,
} from 'nestjs-kopf/crd';
import { DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { errorResponse, OperatorHarness } from '../../support/operators/operator.harness.js';

const DISK = `${DEFINITIONS}/disks.example.com`;
const DISKS = '/apis/example.com/v1/namespaces/ns/disks';

@CelRule('self.replicas <= 3 || self.size != "1Gi"', { message: 'small disks have at most 3 replicas' })
class DiskSpec {
  @Immutable() @v.Matches(/^\d+Gi$/) size: string;
  @Default(1) @v.IsInt() @v.Min(1) @v.Max(5) replicas: number;
}

@CustomResource({ group: 'example.com', shortNames: ['dk'] })
class Disk {
  @v.ValidateNested() spec: DiskSpec;
}

function creating(type: ObjectClass) {
  class Operator {
    @OnCreate(type)
    create({ spec }: ChangeContext<DiskSpec>) {
      return `${spec.replicas} of ${spec.size}`;
    }
  }
  return Operator;
}

/** A class of the same resource as `Disk`, which differs from it. */
function changed(spec: ObjectClass, version = 'v1'): ObjectClass {
  @CustomResource({ group: 'example.com', kind: 'Disk', version, spec, shortNames: ['dk'] })
  class Changed {}
  return Changed;
}

class NarrowSpec {
  @v.Matches(/^\d+Gi$/) size: string;
  @Default(1) @v.IsInt() @v.Min(1) @v.Max(3) replicas: number;
}

class WideSpec extends DiskSpec {
  @v.IsOptional() @v.IsString() note?: string;
}

const disk = (spec: object, name = 'a') => ({ apiVersion: 'example.com/v1', kind: 'Disk', metadata: { name }, spec });

async function fail(harness: OperatorHarness, type: ObjectClass, options: object): Promise<Error> {
  const failure = await harness.run(creating(type), { required: true, ...options }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  return failure as Error;
}

describe('The option crds', () => {
  it("should create the CRDs of handlers' classes, and wait until they are served", async () => {
    const harness = await OperatorHarness.start();
    await harness.run(creating(Disk), { crds: 'apply' });
    expect(harness.get(KopfRegistry).declarations()).toEqual([Disk]);
    await harness.send('POST', DISKS, disk({ size: '1Gi' }));
    await harness.advance(1);
    const stored = await harness.send('GET', `${DISKS}/a`);
    expect(stored).toMatchObject({ spec: { replicas: 1 }, status: { create: '1 of 1Gi' } });
    await expect(harness.send('POST', DISKS, disk({ size: 5 }, 'b'))).rejects.toThrow('must be of type string');
    await expect(harness.send('POST', DISKS, disk({ size: '1Gi', replicas: 4 }, 'b'))).rejects.toThrow('small disks');
    await expect(harness.send('PATCH', `${DISKS}/a`, { spec: { size: '2Gi' } })).rejects.toThrow('size is immutable');
  });

  it('should have the API server write initial values, and take lists and maps of numbers and texts', async () => {
    class Size {
      @v.IsString() amount = '1Gi';
    }
    class Spec {
      @v.IsInt() quantity = 0;
      @Field({ type: Size }) size = new Size();
      @IntOrString() @Field({ listOf: String }) ports: (number | string)[] = [80, 'http'];
      @IntOrString() @Field({ mapOf: String }) limits: Record<string, number | string>;
    }
    const harness = await OperatorHarness.start();
    await harness.run(creating(changed(Spec)), { crds: 'apply' });
    const limits = { cpu: 1, memory: '25%' };
    const { spec } = await harness.send('POST', DISKS, disk({ limits }));
    expect(spec).toEqual({ quantity: 0, size: { amount: '1Gi' }, ports: [80, 'http'], limits });
    await expect(harness.send('POST', DISKS, disk({ limits: { cpu: true } }, 'b'))).rejects.toThrow('limits.cpu');
    await expect(harness.send('POST', DISKS, disk({}, 'b'))).rejects.toThrow('limits');
  });

  it('should leave the CRDs of others alone by default', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(creating(Disk));
    await expect(harness.send('GET', DISK)).rejects.toThrow('404');
  });

  it('should write nothing if the CRDs are up to date, and apply what breaks nothing', async () => {
    const harness = await OperatorHarness.start();
    await harness.send('POST', DEFINITIONS, customResourceDefinition(Disk));
    await harness.run(creating(Disk), { crds: 'apply' });
    const writes = () => harness.writes.filter(({ path }) => path.includes('customresourcedefinitions'));
    expect(writes()).toEqual([]);
    await harness.stop();
    await harness.run(creating(changed(WideSpec)), { crds: 'apply' });
    expect(writes()).toHaveLength(1);
    expect(harness.logger.messages('log')).toContain('The CRD disks.example.com is brought up to date.');
  });

  it('should refuse what could break stored objects, with the rule and the path, and change nothing', async () => {
    const harness = await OperatorHarness.start();
    await harness.send('POST', DEFINITIONS, customResourceDefinition(Disk));
    const before = await harness.send('GET', DISK);
    const failure = await fail(harness, changed(NarrowSpec), { crds: 'apply' });
    expect(failure).toBeInstanceOf(KopfBootstrapError);
    expect(failure.message).toContain(
      "disks.example.com v1.spec.replicas (maximum): maximum is 3 now, and was 5; add a version that is converted instead, or let the change pass with crds: { mode: 'apply', allow: [rule] }",
    );
    expect(await harness.send('GET', DISK)).toEqual(before);
    await harness.stop();
    await harness.run(creating(changed(NarrowSpec)), { crds: { mode: 'apply', allow: ['maximum'] } });
    expect(await harness.send('GET', DISK)).not.toEqual(before);
  });

  it('should rewrite all objects when the version is removed in which they are stored', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(creating(Disk), { crds: 'apply' });
    for (const name of ['a', 'b']) await harness.send('POST', DISKS, disk({ size: '1Gi' }, name));
    await harness.advance(1);
    await harness.stop();
    await harness.run(creating(changed(WideSpec, 'v2')), { crds: 'apply', required: true });
    expect(harness.logger.messages('log')).toContain(
      'Objects of disks.example.com are stored in v2 now: 2 were rewritten, from v1.',
    );
    const { spec, status } = await harness.send('GET', DISK);
    expect(spec.versions).toMatchObject([{ name: 'v2' }]);
    expect(status.storedVersions).toEqual(['v2']);
    expect(await harness.send('GET', `${DISKS.replace('v1', 'v2')}/b`)).toMatchObject({ spec: { size: '1Gi' } });
    await harness.stop();
    const failure = await fail(harness, changed(NarrowSpec, 'v3'), { crds: 'apply' });
    expect(failure.message).toContain('v2 to v3.spec.note (existingFieldRemoval)');
  });

  it('should create a CRD again that is being deleted, once its handlers have released the objects', async () => {
    class Operator {
      @OnDelete(Disk)
      release() {}
    }
    const harness = await OperatorHarness.start();
    await harness.send('POST', DEFINITIONS, customResourceDefinition(Disk));
    const { apiVersion, kind, metadata, spec } = disk({ size: '1Gi' }) as KubeObject;
    const finalizers = ['kopf.zalando.org/KopfFinalizerMarker'];
    await harness.send('POST', DISKS, { apiVersion, kind, metadata: { ...metadata, finalizers }, spec });
    await harness.send('DELETE', DISK);
    const { uid } = (await harness.send('GET', DISK)).metadata;
    await harness.run(Operator, { crds: 'apply' });
    await harness.advance(10);
    expect(harness.logger.messages('warn').join()).toContain('The CRD disks.example.com is being deleted');
    expect((await harness.send('GET', DISK)).metadata.uid).not.toBe(uid);
    await harness.send('POST', DISKS, disk({ size: '1Gi' }));
  });

  it('should verify the CRDs, and say what differs', async () => {
    const harness = await OperatorHarness.start();
    const missing = await fail(harness, Disk, { crds: 'verify' });
    expect(missing).toBeInstanceOf(CustomResourceError);
    expect(missing.message).toContain('disks.example.com does not exist');
    await harness.stop();
    await harness.send('POST', DEFINITIONS, customResourceDefinition(Disk));
    await harness.run(creating(Disk), { crds: 'verify' });
    await harness.stop();
    const different = await fail(harness, changed(NarrowSpec), { crds: 'verify' });
    expect(different.message).toContain('disks.example.com differs at v1: schema.properties.spec');
  });

  it.each([
    ['read', 'GET'],
    ['apply', 'PATCH'],
  ])('should say at once which rights are missing to %s CRDs', async (action, forbidden) => {
    const harness = await OperatorHarness.start();
    const begin = harness.clock.monotonic();
    const failure = await fail(harness, Disk, {
      crds: 'apply',
      intercept: ({ method, path }: { method: string; path: string }) =>
        method === forbidden && path.includes('/disks.') ? errorResponse(403, 'Forbidden', 'no rights') : undefined,
    });
    expect(harness.clock.monotonic() - begin).toBeLessThan(1000);
    expect(failure).toBeInstanceOf(CustomResourceError);
    expect(failure.message).toContain(`may not ${action} the CRD disks.example.com: `);
    expect(failure.message).toContain('Give it the rights get, create, and patch');
  });

  it('should reject wrong options', async () => {
    const harness = await OperatorHarness.start();
    await expect(harness.run([], { crds: 'always' as never })).rejects.toThrow(
      "must be 'apply', 'verify', or 'ignore'",
    );
    await expect(harness.run([], { crds: { mode: 'apply', types: [DiskSpec] } })).rejects.toThrow(
      /DiskSpec does not have/,
    );
  });
});
