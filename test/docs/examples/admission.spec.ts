import { OperatorHarness } from '../../support/operator.harness.js';
import { AdmissionApplication } from '../../support/admission.application.js';
import { makeExample, makeReview, patchOf } from '../../support/reviews.js';
import { ApiServerGuard, DefaultsOperator, MachineOperator, NumbersOperator, Tunnel } from './admission.example.js';

describe('The examples of admission', () => {
  async function run(operator: new () => object) {
    const harness = await OperatorHarness.start();
    const server = new Tunnel();
    await harness.run(operator, { admission: { server, managed: 'numbers.example.com' } });
    await harness.advance(0.1);
    const review = (spec: object) => server.reviewer!(makeReview(makeExample(spec)), { headers: {} });
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
    const { kube } = await OperatorHarness.start();
    const options = { platform: 'express' as const, kube, providers: [NumbersOperator] };
    const open = await AdmissionApplication.start({ ...options, admission: { path: 'admission' } });
    expect((await open.post('/admission/checkNumbers', makeReview(makeExample({})))).body.response.allowed).toBe(true);
    const guarded = await AdmissionApplication.start({ ...options, admission: { guards: [ApiServerGuard] } });
    expect((await guarded.post('/admission/checkNumbers', makeReview(makeExample({})))).status).toBe(403);
  });
});
