import {
  Convert,
  KopfAdmission,
  KopfAdmissionModule,
  KopfBootstrapError,
  KopfModule,
  KubeClient,
  OnCreate,
  type ChangeContext,
  type KubeObject,
  type ObjectClass,
} from 'nestjs-kopf';
import { CustomResource, customResourceDefinition } from 'nestjs-kopf/crd';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { KopfTest, type KopfTestOptions, type TestManifestObject } from 'nestjs-kopf/testing';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { Widget, widget, WidgetConversions, WidgetV1Alpha1, WidgetV1Beta1 } from '../../support/objects/widgets.js';

const managed = 'widgets.example.com';

class WidgetOperator {
  @OnCreate(Widget)
  create({ patch, spec }: ChangeContext) {
    patch.status.phase = `has ${spec.gigabytes}`;
  }
}

function start(options: KopfTestOptions & { readonly crds?: 'apply' | 'ignore' } = {}): Promise<KopfTest> {
  const { crds = 'apply', ...rest } = options;
  return KopfTest.create({
    kopf: { crds, admission: { managed, server: new WebhookServer() } },
    providers: [WidgetOperator, WidgetConversions],
    ...rest,
  });
}

const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const crd = { ...CRD, metadata: { name: 'widgets.example.com' } };
const conversionOf = async (test: KopfTest): Promise<any> => (await test.read(crd)).spec.conversion;
const as = (object: KubeObject, version: string): KubeObject => ({ ...object, apiVersion: `example.com/${version}` });

describe('Conversions', () => {
  it('should convert what is written in one version, stored in another, and read in a third one', async () => {
    await using test = await start();
    const written = await test.apply(widget('a', { size: '5Gi', note: 'n' }, 'v1alpha1'));
    expect(written).toMatchObject({ apiVersion: 'example.com/v1alpha1', spec: { size: '5Gi', note: 'n' } });
    await test.handled(as(written, 'v1'));
    expect(await test.read(as(written, 'v1'))).toMatchObject({
      spec: { gigabytes: 5, color: 'white', note: 'n' },
      status: { phase: 'has 5' },
    });
    const beta = await test.read(as(written, 'v1beta1'));
    expect(beta).toMatchObject({ spec: { megabytes: 5120 }, status: { phase: 'has 5' } });
    expect(beta.spec).toEqual({ megabytes: 5120 });
    expect(beta.metadata.uid).toBe(written.metadata.uid);
    expect(await conversionOf(test)).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://operator.test/convert/widgets.example.com' },
        conversionReviewVersions: ['v1'],
      },
    });
  });

  it('should keep what a version has no fields for, also if objects are changed in it', async () => {
    await using test = await start();
    const stored = await test.apply(widget('a', { gigabytes: 5, megabytes: 7, color: 'red', note: 'n' }));
    const alpha = await test.patch(as(stored, 'v1alpha1'), { spec: { size: '6Gi' } });
    expect(alpha.metadata.annotations).toEqual(
      expect.objectContaining({ 'kopf.zalando.org/kept-fields.v1': '{"megabytes":7,"color":"red"}' }),
    );
    const changed = await test.read(stored);
    expect(changed.spec).toEqual({ gigabytes: 6, megabytes: 7, color: 'red', note: 'n' });
    expect(Object.keys(changed.metadata.annotations ?? {})).not.toContain('kopf.zalando.org/kept-fields.v1');
    await test.patch(as(stored, 'v1beta1'), { spec: { megabytes: 1024 } });
    expect((await test.read(stored)).spec).toEqual({ gigabytes: 1, color: 'red', note: 'n' });
  });

  it('should have each version watched', async () => {
    await using test = await start();
    const seen: Record<string, unknown[]> = {};
    const ended = new AbortController();
    const watches = ['v1alpha1', 'v1beta1', 'v1'].map(async (version) => {
      seen[version] = [];
      for await (const event of test.get(KubeClient).watch(`widgets.${version}.example.com`, {
        namespace: test.namespace,
        signal: ended.signal,
      })) {
        if (event.type !== 'ADDED') continue;
        seen[version].push(event.object.spec);
      }
    });
    await test.apply(widget('a', { megabytes: 2049 }, 'v1beta1'));
    await test.eventually(() =>
      expect(seen).toEqual({
        v1alpha1: [{ size: '2Gi' }],
        v1beta1: [{ megabytes: 2049 }],
        v1: [{ gigabytes: 2, megabytes: 1, color: 'white' }],
      }),
    );
    ended.abort();
    await test.until(Promise.allSettled(watches));
  });

  it('should answer failures with the object, the versions, and what the method says to users', async () => {
    await using test = await start();
    await expect(test.apply(widget('a', { size: 'big' }, 'v1alpha1'))).rejects.toThrow(
      'Widget default/a cannot be converted from v1alpha1 to v1: the size "big" is no number of Gi',
    );
    expect(test.logs.messages('error').join('\n')).toContain('WidgetConversions.fromAlpha');
  });

  it('should answer whole reviews in their order, and fail them with one of their objects', async () => {
    await using test = await start();
    const admission = test.get(KopfAdmission);
    const ask = (objects: readonly KubeObject[], desiredAPIVersion = 'example.com/v1beta1') =>
      admission.convert({ request: { uid: 'u', desiredAPIVersion, objects } }, { headers: {} });
    const one = widget('one', { size: '1Gi' }, 'v1alpha1');
    const two = widget('two', { gigabytes: 2, color: 'white' });
    const three = widget('three', { megabytes: 3 }, 'v1beta1');
    const { response } = await ask([one, two, three]);
    expect(response).toMatchObject({ uid: 'u', result: { status: 'Success' } });
    expect(
      response.convertedObjects.map(({ apiVersion, metadata, spec }) => [apiVersion, metadata.name, spec]),
    ).toEqual([
      ['example.com/v1beta1', 'one', { megabytes: 1024 }],
      ['example.com/v1beta1', 'two', { megabytes: 2048 }],
      ['example.com/v1beta1', 'three', { megabytes: 3 }],
    ]);
    const failed = await ask([one, widget('bad', { size: '' }, 'v1alpha1'), three]);
    expect(failed.response).toMatchObject({ result: { status: 'Failure' }, convertedObjects: [] });
    expect((await ask([one], 'example.com/v9')).response.result).toMatchObject({
      message: expect.stringContaining('no method leads from v1alpha1 to v9; there are v1alpha1, v1, v1beta1'),
    });
    await expect(ask([one], 'other.com/v1')).rejects.toThrow('must be of the group other.com');
    await expect(ask([], 'other.com/v1')).rejects.toThrow('There is no conversion for the group other.com');
  });

  it('should be registered again when another client has changed the CRD', async () => {
    await using test = await start();
    const before = await conversionOf(test);
    await test.patch(crd, { spec: { conversion: { strategy: 'None', webhook: null } } });
    await test.eventually(async () => expect(await conversionOf(test)).toEqual(before));
  });

  it('should be registered with the certificate and the address of now', async () => {
    const harness = await OperatorHarness.start();
    const server = new StubAdmissionServer({ url: 'https://host/base', caBundle: 'YQ==' });
    await harness.run(WidgetConversions, { crds: 'apply', admission: { managed, server } });
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const clientOf = async () => (await harness.send('GET', path)).spec.conversion.webhook.clientConfig;
    expect(await clientOf()).toEqual({ url: 'https://host/base/convert/widgets.example.com', caBundle: 'YQ==' });
    server.announce({ url: 'https://host/base', caBundle: 'Yg==' });
    await harness.advance(0.1);
    expect(await clientOf()).toMatchObject({ caBundle: 'Yg==' });
    server.announce({ service: { name: 'widgets', namespace: 'ns' } });
    await harness.advance(0.1);
    const client = await clientOf();
    expect(client.service).toMatchObject({ name: 'widgets', namespace: 'ns', path: '/convert/widgets.example.com' });
    expect(Object.keys(client)).toEqual(['service']);
  });

  it('should stay registered while the operator does not run, unless they are to be released', async () => {
    await using test = await start();
    await test.stop();
    expect(await conversionOf(test)).toMatchObject({ strategy: 'Webhook' });
    await using other = await start({
      kopf: { crds: 'apply', admission: { managed, server: new WebhookServer(), releaseConversions: true } },
    });
    expect(await conversionOf(other)).toMatchObject({ strategy: 'Webhook' });
    await other.stop();
    expect(await conversionOf(other)).toEqual({ strategy: 'None' });
  });

  it('should be removed from the CRD by a release that has no methods any more', async () => {
    await using test = await start();
    await test.stop();
    const definition = await test.read(crd);
    expect(definition.spec.conversion).toMatchObject({ strategy: 'Webhook' });
    await using last = await start({
      kopf: { crds: 'apply' },
      objects: [stripped(definition)],
      providers: [WidgetOperator],
    });
    expect(await conversionOf(last)).toEqual({ strategy: 'None' });
    expect(last.logs.messages('log')).toContain('The conversion webhook was removed from the CRD widgets.example.com.');
  });

  it('should leave the webhooks of others alone where there are no methods', async () => {
    const webhook = { clientConfig: { url: 'https://others.test/widgets' }, conversionReviewVersions: ['v1'] };
    const definition = customResourceDefinition(Widget);
    const conversion = { strategy: 'Webhook', webhook };
    await using test = await start({
      kopf: { crds: 'apply' },
      objects: [stripped({ ...definition, spec: { ...definition.spec, conversion } })],
      providers: [WidgetOperator],
    });
    expect(await conversionOf(test)).toEqual(conversion);
  });

  it('should leave CRDs alone that the operator does not manage', async () => {
    await using test = await start({ kopf: { crds: 'apply', admission: { server: new WebhookServer() } } });
    expect(await conversionOf(test)).toEqual({ strategy: 'None' });
  });

  it('should register the controller of the application before it listens', async () => {
    await using test = await start({
      kopf: undefined,
      imports: [
        KopfAdmissionModule.forRoot({ service: { name: 'widgets', namespace: 'ns' }, caBundle: 'YQ==' }),
        KopfModule.forRoot({ admission: { managed }, crds: 'apply' }),
      ],
    });
    const { strategy, webhook } = await conversionOf(test);
    expect([strategy, webhook.conversionReviewVersions]).toEqual(['Webhook', ['v1']]);
  });

  it('should store objects of a version that goes in the new one, by the methods', async () => {
    class Old {
      @OnCreate(WidgetV1Alpha1)
      create() {}
    }
    await using test = await start({ kopf: { crds: 'apply' }, providers: [Old] });
    const old = await test.apply(widget('a', { size: '5Gi' }, 'v1alpha1'));
    await test.handled(old);
    const definition = await test.read(crd);
    const object = await test.read(old);
    await test.stop();
    class Retiring {
      @Convert(Widget, { from: 'v1alpha1', to: 'v1', retired: true })
      fromAlpha(context: any) {
        return new WidgetConversions().fromAlpha(context);
      }
    }
    await using next = await start({
      objects: [stripped(definition), stripped(object)],
      providers: [WidgetOperator, Retiring],
    });
    expect((await next.read(as(old, 'v1'))).spec).toEqual({ gigabytes: 5, color: 'white' });
    const { spec, status } = await next.read<any>(crd);
    expect(spec.versions).toMatchObject([{ name: 'v1' }]);
    expect(status.storedVersions).toEqual(['v1']);
  });
});

function stripped({ apiVersion = '', kind = '', metadata, spec }: KubeObject): TestManifestObject {
  const object = { apiVersion, kind, metadata: { name: metadata.name }, spec };
  return object;
}

describe('Wrong conversions', () => {
  const fail = async (...providers: any[]): Promise<string> => {
    const failure = await start({ providers }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KopfBootstrapError);
    return (failure as Error).message;
  };

  it('should end the start with one message that names classes, methods, and options', async () => {
    class OneWay {
      @Convert(Widget, { from: 'v1alpha1', to: 'v1' })
      up() {
        return {};
      }
      @Convert(Widget, { from: 'v1alpha1', to: 'v1' })
      again() {
        return {};
      }
    }
    const message = await fail(OneWay);
    expect(message).toContain(
      'OneWay.up and OneWay.again (@Convert): both convert widgets.example.com from v1alpha1 to v1; remove one of them',
    );
    expect(message).toContain(
      "OneWay.up (@Convert): option 'from': widgets.example.com has no version v1alpha1, but v1;",
    );
    expect(message).toContain(
      "OneWay.up (@Convert): options 'from' and 'to': nothing converts widgets.example.com from v1",
    );
  });

  it('should name options of a wrong kind', async () => {
    @CustomResource({ group: 'other.com' })
    class Other {}
    class Mistaken {
      @Convert('widgets', { from: 'v1', to: 'v2' })
      noGroup() {
        return {};
      }
      @Convert(Widget, { from: 'v1' } as any)
      noTarget() {
        return {};
      }
      @Convert(Widget, { from: 'v1', to: 'v1' })
      same() {
        return {};
      }
      @Convert(Widget, { from: Other as ObjectClass, to: Widget })
      foreign() {
        return {} as any;
      }
    }
    const message = await fail(Mistaken);
    expect(message).toContain('Mistaken.noGroup (@Convert): conversions are for one resource');
    expect(message).toContain("Mistaken.noTarget (@Convert): option 'to' is missing");
    expect(message).toContain("Mistaken.same (@Convert): options 'from' and 'to' are both v1");
    expect(message).toContain("Mistaken.foreign (@Convert): option 'from' must be a version of widgets.example.com");
  });

  it('should name versions that the CRD of the cluster does not have', async () => {
    class ByName {
      @Convert('widgets.example.com', { from: 'v1', to: 'v7' })
      up() {
        return {};
      }
      @Convert('widgets.example.com', { from: 'v7', to: 'v1' })
      down() {
        return {};
      }
    }
    const failure = await start({
      crds: 'ignore',
      objects: [customResourceDefinition(Widget, WidgetV1Beta1)],
      providers: [ByName],
    }).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(KopfBootstrapError);
    expect((failure as Error).message).toContain(
      "ByName.up (@Convert): option 'to': widgets.example.com has no version v7, but v1, v1beta1",
    );
  });

  it('should name conversions whose reviews are not served', async () => {
    const failure = await start({ kopf: { admission: { managed } } }).catch((error: unknown) => error as Error);
    expect((failure as Error).message).toContain('no server receives reviews for WidgetConversions.');
  });
});
