import { Convert, OnCreate, type ChangeContext, type KubeObject } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { eventually } from '../support/time/eventually.js';
import { LocalOperator } from '../support/operators/local.operator.js';
import { Widget, widget, WidgetConversions, WidgetV1Alpha1 } from '../support/objects/widgets.js';
import { startSides, type AdmittingSide } from './admission.sides.js';

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
const pathOf = (version: string): string => `/apis/example.com/${version}/namespaces/default/widgets`;

/** Knows the first version only. */
class First {
  @OnCreate(WidgetV1Alpha1)
  create() {}
}

/** Knows all versions. */
class Current extends WidgetConversions {
  @OnCreate(Widget)
  start({ patch, spec }: ChangeContext) {
    patch.status.phase = `has ${spec.gigabytes}`;
  }
}

/** Has dropped the other versions. */
class Last {
  @OnCreate(Widget)
  start() {}

  @Convert(Widget, { from: 'v1alpha1', to: 'v1', retired: true })
  fromAlpha(context: any) {
    return new WidgetConversions().fromAlpha(context);
  }
}

/** Has dropped the last conversion. */
class Settled {
  @OnCreate(Widget)
  start() {}
}

describe('conversions', () => {
  let sides: readonly AdmittingSide[];

  beforeAll(async () => {
    sides = await startSides();
  }, 120_000);

  afterAll(() => Promise.all((sides ?? []).map((side) => side.stop())));

  const start = async (side: AdmittingSide, handlers: new () => object): Promise<LocalOperator> => {
    const operator = await LocalOperator.start(handlers, {
      credentials: side.kubeconfigPath,
      crds: 'apply',
      admission: { managed: 'widgets.example.com', server: new WebhookServer({ addr: '127.0.0.1' }) },
    });
    await operator.ready();
    return operator;
  };

  const read = async ({ user }: AdmittingSide, path: string): Promise<any> =>
    JSON.parse((await user.exchange('GET', path, '', '')).text);

  const specsOf = async (side: AdmittingSide, name: string): Promise<Record<string, unknown>> => {
    const versions = ['v1alpha1', 'v1beta1', 'v1'];
    const objects = await Promise.all(versions.map((version) => read(side, `${pathOf(version)}/${name}`)));
    return Object.fromEntries(objects.map(({ spec }, index) => [versions[index], spec]));
  };

  const firstEvent = async ({ user }: AdmittingSide, version: string): Promise<KubeObject> => {
    for await (const line of user.lines(
      `${pathOf(version)}?watch=true&fieldSelector=metadata.name=new&timeoutSeconds=20`,
    )) {
      return (JSON.parse(line) as { object: KubeObject }).object;
    }
    throw new Error('The watch has ended without any event.');
  };

  it.each(['real', 'embedded'])('should go on from one version to the next: %s', async (name) => {
    const side = sides.find((each) => each.name === name)!;
    const { user } = side;

    const first = await start(side, First);
    await user.create(pathOf('v1alpha1'), widget('old', { size: '5Gi', note: 'n' }, 'v1alpha1'));
    await first.stop();
    expect((await read(side, CRD)).status.storedVersions).toEqual(['v1alpha1']);

    let current = await start(side, Current);
    onTestFinished(() => current.stop());
    // What was stored before has not been written since.
    await eventually('the versions are served', async () => (await specsOf(side, 'old')).v1 !== undefined);
    expect(await specsOf(side, 'old')).toEqual({
      v1alpha1: { size: '5Gi', note: 'n' },
      v1beta1: { megabytes: 5120 },
      v1: { gigabytes: 5, color: 'white', note: 'n' },
    });

    await user.create(pathOf('v1beta1'), widget('new', { megabytes: 2049 }, 'v1beta1'));
    await eventually('the object is handled', async () => {
      return (await read(side, `${pathOf('v1alpha1')}/new`)).status?.phase === 'has 2';
    });
    expect(await specsOf(side, 'new')).toEqual({
      v1alpha1: { size: '2Gi' },
      v1beta1: { megabytes: 2049 },
      v1: { gigabytes: 2, megabytes: 1, color: 'white' },
    });
    const seen = await Promise.all(['v1alpha1', 'v1beta1', 'v1'].map((version) => firstEvent(side, version)));
    expect(seen.map(({ apiVersion, status }) => [apiVersion, status.phase])).toEqual([
      ['example.com/v1alpha1', 'has 2'],
      ['example.com/v1beta1', 'has 2'],
      ['example.com/v1', 'has 2'],
    ]);

    await user.patch(`${pathOf('v1')}/new`, { spec: { color: 'red' } });
    await user.patch(`${pathOf('v1alpha1')}/new`, { spec: { size: '3Gi' } });
    expect((await specsOf(side, 'new')).v1).toEqual({ gigabytes: 3, megabytes: 1, color: 'red' });
    const refusal = await user
      .create(pathOf('v1alpha1'), widget('bad', { size: 'big' }, 'v1alpha1'))
      .catch((error: unknown) => (error as Error).message);
    expect(refusal).toContain(
      'Widget default/bad cannot be converted from v1alpha1 to v1: the size \\"big\\" is no number',
    );

    // Another process has another certificate.
    const { caBundle } = (await read(side, CRD)).spec.conversion.webhook.clientConfig;
    await current.stop();
    current = await start(side, Current);
    expect((await read(side, CRD)).spec.conversion.webhook.clientConfig.caBundle).not.toBe(caBundle);
    await eventually('the new certificate is trusted', async () => {
      const read = await specsOf(side, 'new').catch(() => undefined);
      return read?.v1beta1 !== undefined;
    });
    await current.stop();

    current = await start(side, Last);
    const { spec, status } = await read(side, CRD);
    expect(spec.versions.map((version: { name: string }) => version.name)).toEqual(['v1']);
    expect(status.storedVersions).toEqual(['v1']);
    const stored = await user.list(pathOf('v1'));
    expect(stored.map((each) => each.spec)).toEqual([
      { gigabytes: 3, megabytes: 1, color: 'red' },
      { gigabytes: 5, color: 'white', note: 'n' },
    ]);
    expect(spec.conversion.strategy).toBe('Webhook');
    await current.stop();

    current = await start(side, Settled);
    expect((await read(side, CRD)).spec.conversion).toEqual({ strategy: 'None' });
    expect((await user.list(pathOf('v1'))).map((each) => each.spec)).toEqual(stored.map((each) => each.spec));
  });
});
