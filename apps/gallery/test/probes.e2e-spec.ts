import { OperatorHarness } from '../../../test/support/operators/operator.harness.js';
import { PLATFORMS, ServedOperator, type Platform } from '../../../test/support/operators/served.operator.js';
import { ProbesModule } from '../src/probes/probes.module.js';

describe.each(Object.keys(PLATFORMS) as Platform[])('The gallery of probes on %s', (platform) => {
  it('should tell of itself', async () => {
    const harness = await OperatorHarness.start();
    const served = await ServedOperator.start(harness, { platform, handlers: [], imports: [ProbesModule] });
    await served.ready();
    await harness.create('a', { spec: { licence: 'valid' } });
    await harness.advance(1);
    const fine = await served.get('/healthz');
    expect([fine.status, fine.body.details.kopf.probes.handlers]).toEqual([
      200,
      { objects: { status: 'up', result: 1 }, licence: { status: 'up', result: 'valid' } },
    ]);
    await harness.patch('a', { spec: { licence: 'expired' } });
    await harness.advance(11);
    const bad = await served.get('/healthz');
    expect([bad.status, bad.body.error.kopf.probes.handlers.licence]).toEqual([
      503,
      { status: 'down', message: 'The licence is expired.' },
    ]);
    expect((await served.get('/readyz')).status).toBe(200);
  });
});
