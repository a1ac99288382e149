import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ApiException, AppsV1Api, CoreV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import {
  InjectKubeApi,
  KopfModule,
  KubeClient,
  getKubeApiToken,
  LoginError,
  OnCreate,
  OnLogin,
  type ChangeContext,
  type ConnectionInfo,
} from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

@Injectable()
class Pods {
  constructor(
    @InjectKubeApi(CoreV1Api) readonly core: CoreV1Api,
    @InjectKubeApi(AppsV1Api) readonly apps: AppsV1Api,
  ) {}
}

@Injectable()
class Other {
  @InjectKubeApi(CoreV1Api) readonly core: CoreV1Api;
}

const feature = KopfModule.forFeature({ apis: [CoreV1Api, AppsV1Api] });

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'image' }] } });

function makeLogin(login: () => ConnectionInfo | undefined) {
  class Handlers {
    @OnLogin()
    login() {
      return login();
    }
  }
  return Handlers;
}

describe('Typed APIs', () => {
  it('should be injected, one for all', async () => {
    const harness = await OperatorHarness.start();
    await harness.run([Pods, Other], { imports: [feature] });
    const { core, apps } = harness.get<Pods>(Pods);
    expect(core).toBeInstanceOf(CoreV1Api);
    expect(apps).toBeInstanceOf(AppsV1Api);
    expect(harness.get<Other>(Other).core).toBe(core);
  });

  it.each(['', ' ', '.', '..', 'a/b'])(
    'should not delete a namespace, or all objects in it, for the name %j',
    async (name) => {
      const harness = await OperatorHarness.start();
      await harness.run([Pods], { imports: [feature] });
      const { core } = harness.get<Pods>(Pods);
      const client = harness.get<KubeClient>(KubeClient);
      for (const each of ['one', 'two']) await core.createNamespacedPod({ namespace: 'ns', body: pod(each) });
      await expect(core.deleteNamespacedPod({ name, namespace: 'ns' })).rejects.toThrow(TypeError);
      await expect(client.delete('pods', name, { namespace: 'ns' })).rejects.toThrow(
        'KubeClient.delete(): the argument name',
      );
      await expect(client.delete('pods', 'one', { namespace: name })).rejects.toThrow(
        'KubeClient.delete(): the namespace',
      );
      const { items } = await core.listNamespacedPod({ namespace: 'ns' });
      expect(items.map(({ metadata }) => [metadata?.name, metadata?.deletionTimestamp])).toEqual([
        ['one', undefined],
        ['two', undefined],
      ]);
      expect((await core.readNamespace({ name: 'ns' })).metadata?.deletionTimestamp).toBeUndefined();
    },
  );

  it('should work with the cluster', async () => {
    const harness = await OperatorHarness.start();
    await harness.run([Pods], { imports: [feature] });
    const { core, apps } = harness.get<Pods>(Pods);
    const created = await core.createNamespacedPod({ namespace: 'ns', body: pod('web') });
    expect(created.metadata?.uid).toBeTruthy();
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const names = (await core.listNamespacedPod({ namespace: 'ns' })).items.map(({ metadata }) => metadata?.name);
    expect(names).toEqual(['web']);
    const patched = await core.patchNamespacedPod(
      { name: 'web', namespace: 'ns', body: { metadata: { labels: { app: 'web' } } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect(patched.metadata?.labels).toEqual({ app: 'web' });
    const operations = [{ op: 'add', path: '/metadata/labels/tier', value: 'front' }];
    const again = await core.patchNamespacedPod({ name: 'web', namespace: 'ns', body: operations });
    expect(again.metadata?.labels).toEqual({ app: 'web', tier: 'front' });
    await core.deleteNamespacedPod({ name: 'web', namespace: 'ns', gracePeriodSeconds: 0 });
    expect((await apps.listDeploymentForAllNamespaces()).items).toEqual([]);
    const missing = core.readNamespacedPod({ name: 'web', namespace: 'ns' });
    await expect(missing).rejects.toBeInstanceOf(ApiException);
    await expect(missing).rejects.toMatchObject({ code: 404 });
  });

  it('should serve handlers, which are retried if the cluster refuses what they want', async () => {
    @Injectable()
    class Operator {
      constructor(@InjectKubeApi(CoreV1Api) private readonly core: CoreV1Api) {}

      @OnCreate(...KEX, { backoff: 10 })
      async create({ name, namespace = '' }: ChangeContext) {
        const { metadata } = await this.core.readNamespacedPod({ name, namespace });
        return metadata?.uid;
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { imports: [feature] });
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).status?.create).toBeUndefined();
    const { metadata } = await harness.send('POST', '/api/v1/namespaces/ns/pods', pod('a'));
    await harness.advance(20);
    expect((await harness.object('a')).status).toMatchObject({ create: metadata.uid });
  });

  it('should log in again when the credentials are not accepted any more', async () => {
    const harness = await OperatorHarness.start({
      kube: { token: 'first', users: { second: { name: 'operator', groups: ['system:masters'] } } },
    });
    let token = 'revoked';
    const transport = harness.kube.transport();
    const connect = () => {
      const authorization = `Bearer ${token}`;
      token = 'second';
      return {
        server: 'http://embedded',
        token: authorization,
        transport: {
          request: (request: Parameters<typeof transport.request>[0]) =>
            transport.request({ ...request, headers: { ...request.headers, authorization } }),
          close: () => Promise.resolve(),
        },
      };
    };
    await harness.run([Pods, makeLogin(connect)], {
      imports: [feature],
      credentials: undefined,
      enabled: false,
      unready: true,
    });
    expect((await harness.get<Pods>(Pods).core.listNamespace()).items.length).toBeGreaterThan(0);
  });

  it('should reject if there are no credentials', async () => {
    const harness = await OperatorHarness.start();
    await harness.run([Pods, makeLogin(() => undefined)], {
      imports: [feature],
      credentials: undefined,
      enabled: false,
      unready: true,
    });
    await expect(harness.get<Pods>(Pods).core.listNamespace()).rejects.toBeInstanceOf(LoginError);
  });

  it('should be replaceable in tests', async () => {
    const core = { listNode: () => Promise.resolve({ items: [] }) };
    const module = await Test.createTestingModule({
      imports: [feature, KopfModule.forRoot({ enabled: false })],
      providers: [Pods],
    })
      .overrideProvider(getKubeApiToken(CoreV1Api))
      .useValue(core)
      .setLogger(false as never)
      .compile();
    expect(module.get(Pods).core).toBe(core);
    await module.close();
  });
});
