import { AdmissionError, Validate, type AdmissionContext, type KopfOperator } from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { eventually } from '../../support/time/eventually.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { findFreePort } from '../../support/programs/free.port.js';

const SECRET = '/api/v1/namespaces/ns/secrets/hooks';
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/auto.kopf.dev';
const YEAR = 365 * 86_400;

let reviews: number;

class Handlers {
  @Validate(...KEX, { persistent: true })
  check({ spec, warnings }: AdmissionContext<{ field?: string }>) {
    reviews++;
    warnings.push('It was looked at.');
    if (spec.field === 'bad') throw new AdmissionError('It is bad.', 422);
  }
}

describe('Two operators behind one service, with one certificate', () => {
  let harness: OperatorHarness;
  let ports: number[];
  let calls: number;
  let count: number;

  beforeEach(async () => {
    reviews = calls = count = 0;
    ports = await Promise.all([findFreePort(), findFreePort()]);
    const webhookServices = (): string => `https://127.0.0.1:${ports[calls++ % ports.length]}`;
    harness = await OperatorHarness.start({ kube: { webhookServices } });
  });

  async function run(port: number): Promise<KopfOperator> {
    // The virtual time is years ago, and what is made then must be valid now.
    const secret = { name: 'hooks', namespace: 'ns', lifetime: 50 * YEAR };
    const service = { name: 'hooks', namespace: 'ns', port: 443 };
    const server = new WebhookServer({ addr: '127.0.0.1', port, secret, service });
    const before = listServed().length;
    const operator = await harness.run(Handlers, { admission: { managed: 'auto.kopf.dev', server } });
    // Keys are made in real time.
    await eventually('the server', () => listServed().length > before);
    await harness.advance(1);
    return operator;
  }

  const listServed = (): string[] =>
    harness.logger.messages('log').filter((line) => line.startsWith('Reviews are served at'));

  async function createSome(): Promise<void> {
    for (let each = 0; each < 20; each++) await harness.create(`object-${count++}`, { spec: { field: 'v1' } });
  }

  it('should refuse no object that is fine, whatever happens to the certificate and to one of them', async () => {
    const first = await run(ports[0]);
    // So far apart, one has finished its exchange of the certificate before the other one.
    await harness.advance(35);
    await run(ports[1]);
    const { webhooks }: any = await harness.send('GET', CONFIGURATION);
    expect(webhooks[0].clientConfig).toMatchObject({ service: { name: 'hooks', namespace: 'ns', path: '/check' } });
    await createSome();
    await harness.send('DELETE', SECRET);
    for (let each = 0; each < 20; each++) {
      await harness.advance(10);
      await createSome();
    }
    const { data }: any = await harness.send('GET', SECRET);
    const configuration: any = await harness.send('GET', CONFIGURATION);
    expect(configuration.webhooks[0].clientConfig.caBundle).toBe(data['ca.crt']);
    expect(data['ca.crt']).not.toBe(webhooks[0].clientConfig.caBundle);
    const all = [...ports];
    ports.shift();
    await harness.stop(first);
    await createSome();
    await run(all[0]);
    ports.unshift(all[0]);
    await createSome();
    await expect(harness.create('bad', { spec: { field: 'bad' } })).rejects.toThrow('It is bad.');
    expect(reviews).toBe(count + 1);
    expect(calls).toBe(count + 1);
  });
});
