import type { AdmissionReviewAnswer, ClientCertificate } from 'nestjs-kopf/webhooks';
import { makeDiskReview, startWithDisks } from '../../support/operators/disks.js';
import { eventually } from '../../support/time/eventually.js';
import { AdmissionApplication } from '../../support/webhooks/admission.application.js';
import { patchOf } from '../../support/webhooks/reviews.js';
import { serve } from '../../support/webhooks/served.webhooks.js';
import {
  AddressOperator,
  ApiServerGuard,
  DefaultsOperator,
  inCluster,
  inDevelopment,
  MachineOperator,
  NumbersOperator,
  SuspiciousOperator,
  Tunnel,
  verifying,
  withFiles,
} from './admission.example.js';

// A free one, as tests run side by side.
vi.hoisted(() => (process.env.WEBHOOK_PORT = '0'));

describe('The examples of admission', () => {
  async function run(operator: new () => object) {
    const harness = await startWithDisks();
    const server = new Tunnel();
    await harness.run(operator, { admission: { server, managed: 'numbers.example.com' } });
    await harness.advance(0.1);
    const review = (spec: object) =>
      server.reviewer!(makeDiskReview(spec), { headers: {} }) as Promise<AdmissionReviewAnswer>;
    return { harness, review };
  }

  it('should validate', async () => {
    const { review, harness } = await run(NumbersOperator);
    const statusOf = async (spec: object) => (await review(spec)).response.status;
    expect(await statusOf({ numbers: 'none' })).toEqual({ code: 422, message: 'Numbers must be a list if present.' });
    expect(await statusOf({ numbers: ['x'] })).toEqual({ code: 500, message: 'Cannot convert "x" to a number.' });
    const { response } = await review({ numbers: [1, '2'] });
    expect(response).toMatchObject({ allowed: true, warnings: ['"2" is not a number but can be converted.'] });
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/numbers.example.com';
    expect(await harness.send('GET', path)).toMatchObject({
      webhooks: [{ clientConfig: { url: 'https://tunnel.example.com/admission/checkNumbers' } }],
    });
  });

  it('should set defaults, once', async () => {
    const { review } = await run(DefaultsOperator);
    expect(patchOf(await review({}))).toEqual([{ op: 'add', path: '/spec/numbers', value: [1, 2, 3] }]);
    expect(patchOf(await review({ numbers: [1, 2, 3] }))).toBeUndefined();
  });

  it('should reject an address that is taken', async () => {
    const harness = await startWithDisks();
    await harness.create('one', { spec: { address: '10.0.0.1' } });
    const server = new Tunnel();
    await harness.run(AddressOperator, { admission: { server } });
    await harness.advance(1);
    const statusOf = async (address: string) => {
      const answer = await server.reviewer!(makeDiskReview({ address }), { headers: {} });
      return (answer as AdmissionReviewAnswer).response.status;
    };
    expect(await statusOf('10.0.0.1')).toEqual({ code: 409, message: 'one has this address.' });
    expect(await statusOf('10.0.0.2')).toBeUndefined();
  });

  it('should check classes', async () => {
    const { review } = await run(MachineOperator);
    const { response } = await review({ size: -1, disks: [{ name: '' }] });
    expect(response.status).toEqual({
      code: 422,
      message: 'spec.size must be a positive number; spec.disks[0].name should not be empty',
    });
    expect((await review({ size: 1, disks: [] })).response.allowed).toBe(true);
  });

  it('should be served by the application, which can be guarded', async () => {
    const { kube } = await startWithDisks();
    const options = { platform: 'express' as const, kube, providers: [NumbersOperator] };
    const open = await AdmissionApplication.start({ ...options, admission: { path: 'admission' } });
    expect((await open.post('/admission/checkNumbers', makeDiskReview({}))).body.response.allowed).toBe(true);
    const guarded = await AdmissionApplication.start({ ...options, admission: { guards: [ApiServerGuard] } });
    expect((await guarded.post('/admission/checkNumbers', makeDiskReview({}))).status).toBe(403);
  });

  it('should serve webhooks in the cluster with a certificate in a Secret', async () => {
    const harness = await startWithDisks();
    await harness.run(NumbersOperator, { admission: { server: inCluster, managed: 'numbers.example.com' } });
    // Keys are made in real time.
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/numbers.example.com';
    const webhook: any = await eventually('the webhook is there', async () => {
      await harness.advance(0.1);
      const { webhooks = [] }: any = await harness.send('GET', path).catch(() => ({}));
      return webhooks[0];
    });
    const { data }: any = await harness.send('GET', '/api/v1/namespaces/default/secrets/numbers-webhooks');
    expect(webhook.clientConfig).toEqual({
      service: { namespace: 'default', name: 'numbers', path: '/checknumbers', port: 443 },
      caBundle: data['ca.crt'],
    });
  });

  it.each([
    ['tls.crt, tls.key, or ca.crt', /Cannot read \/certs\/(tls|ca)\.(crt|key): ENOENT/, withFiles],
    ['clients-ca.crt', /Cannot read \/certs\/clients-ca\.crt: ENOENT/, verifying],
  ])('should name files that are missing: %s', async (_files, message, server) => {
    await expect(serve(server)).rejects.toThrow(message);
  });

  it('should be served on a known cluster of the same machine without a tunnel', async () => {
    const { config } = await serve(inDevelopment, undefined, { cluster: { gitVersion: async () => 'v1.36.3+k3s1' } });
    expect(config.url).toMatch(/^https:\/\/host\.k3d\.internal:/);
  });

  it('should look at the certificate of the caller', async () => {
    const harness = await startWithDisks();
    const server = new Tunnel();
    await harness.run(SuspiciousOperator, { admission: { server } });
    await harness.advance(0.1);
    const allowed = async (CN?: string) => {
      const sslpeer = CN ? ({ subject: { CN }, isVerified: true } as unknown as ClientCertificate) : undefined;
      const answer = await server.reviewer!(makeDiskReview({}), { headers: {}, sslpeer });
      return (answer as AdmissionReviewAnswer).response.allowed;
    };
    expect([await allowed('kube-apiserver'), await allowed('somebody'), await allowed()]).toEqual([true, false, false]);
  });
});
