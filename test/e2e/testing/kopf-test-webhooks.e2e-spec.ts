import { AdmissionError, KopfAdmissionModule, KopfModule, Mutate, Validate, type AdmissionContext } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { KopfTest, type KopfTestOptions } from 'nestjs-kopf/testing';

const map = (name: string, data: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

class MapChecks {
  @Validate('configmaps.v1', { operation: 'CREATE' })
  check({ body, warnings }: AdmissionContext) {
    const { bad, broken } = (body.data ?? {}) as Record<string, string>;
    if (bad) throw new AdmissionError('It is bad.', 422);
    if (broken) throw new Error('a secret of the handler');
    warnings.push('It is new.');
  }

  @Mutate('configmaps.v1', { operation: 'CREATE' })
  complete({ patch }: AdmissionContext) {
    patch.merge({ data: { complete: 'yes' } });
  }
}

const managed = 'checks.example.com';
const OPERATORS: Record<string, KopfTestOptions> = {
  'a server of its own': { kopf: { admission: { managed, server: new WebhookServer() } } },
  'the controller of the application': {
    imports: [
      KopfAdmissionModule.forRoot({ url: 'https://checks.example.com' }),
      KopfModule.forRoot({ admission: { managed } }),
    ],
  },
};

describe('KopfTest of an operator with webhooks', () => {
  it.each(Object.entries(OPERATORS))('should bring reviews to it on virtual time: %s', async (_what, options) => {
    await using test = await KopfTest.create({ ...options, providers: [MapChecks] });
    expect(await test.apply(map('a'))).toMatchObject({ data: { complete: 'yes' } });
    await expect(test.apply(map('b', { bad: 'yes' }))).rejects.toThrow(
      /"check.checks.example.com" denied.*It is bad\./,
    );
    await expect(test.apply(map('c', { broken: 'yes' }))).rejects.toThrow(/^(?!.*secret).*denied the request/);
  });

  it('should have nobody answer them while it does not run', async () => {
    const [options] = Object.values(OPERATORS);
    await using test = await KopfTest.create({ ...options, providers: [MapChecks] });
    test.kill();
    await expect(test.apply(map('a'))).rejects.toThrow('connection refused');
    await test.restart();
    expect(await test.apply(map('a'))).toMatchObject({ data: { complete: 'yes' } });
    await test.stop();
    expect(await test.apply(map('b', { bad: 'yes' }))).toMatchObject({ data: { bad: 'yes' } });
  });

  it('should not bring them to the webhooks of others', async () => {
    const webhooks = [
      {
        name: 'others.example.com',
        clientConfig: { url: 'https://others.example.com/check' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ];
    const kind = 'ValidatingWebhookConfiguration';
    const metadata = { name: 'others' };
    const others = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata, webhooks };
    await using test = await KopfTest.create({ objects: others });
    await expect(test.apply(map('a'))).rejects.toThrow('lookup others.example.com: no such host');
  });
});
