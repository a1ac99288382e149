import { UseGuards } from '@nestjs/common';
import { OnCreate } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { createApplication, runApplication } from '../support/module.harness.js';
import {
  AppModule,
  CountedOperator,
  CountingInterceptor,
  ManualModule,
  OperatorController,
  PodsController,
  ReportsService,
  TimedModule,
  TimingInterceptor,
} from './embedding.example.js';

describe('The examples of embedding', () => {
  let harness: OperatorHarness;

  beforeEach(async () => {
    harness = await OperatorHarness.start();
    const pod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'image' }] } };
    await harness.send('POST', '/api/v1/namespaces/ns/pods', pod);
  });

  it('should serve what the operator sees', async () => {
    const application = await runApplication(harness, AppModule);
    expect(application.get(PodsController).list()).toEqual(['web']);
    await harness.send('DELETE', '/api/v1/namespaces/ns/pods/web?gracePeriodSeconds=0');
    await harness.advance(1);
    expect(application.get(PodsController).list()).toEqual([]);
  });

  it('should start and stop the operator', async () => {
    const application = await createApplication(harness, ManualModule);
    const controller = application.get(OperatorController);
    const handlers = ['PodsService.note'];
    expect(controller.describe()).toEqual({ state: 'idle', objects: 0, daemons: 0, watches: [], handlers });
    await harness.clock.runUntil(controller.start());
    const watches = ['pods: watching'];
    expect(controller.describe()).toEqual({ state: 'running', objects: 1, daemons: 0, watches, handlers });
    await harness.clock.runUntil(controller.stop());
    expect(controller.describe().state).toBe('stopped');
    await harness.clock.runUntil(controller.start());
    expect(controller.describe().state).toBe('running');
  });

  it('should call handlers of a module that is loaded lazily', async () => {
    await harness.run([ReportsService]);
    await harness.get(ReportsService).enable();
    await harness.create('a');
    await harness.advance(1);
    expect(harness.logger.messages('log').join()).toContain('a is reported');
  });

  it('should put interceptors around handlers', async () => {
    await harness.run([CountedOperator, CountingInterceptor]);
    await harness.create('a');
    await harness.advance(1);
    expect((await harness.object('a')).status).toEqual({ create: 'made a' });
    expect(harness.get(CountingInterceptor).calls).toEqual(['create of a']);
  });

  it('should put global interceptors around handlers', async () => {
    const application = await runApplication(harness, TimedModule);
    expect(application.get(TimingInterceptor).timed).toEqual(['kopf: PodsService.note']);
  });

  it('should retry handlers that a guard has refused', async () => {
    const attempts: string[] = [];
    @UseGuards({ canActivate: (context) => attempts.push(context.getType()) > 1 })
    class Guarded {
      @OnCreate('kopfexamples.kopf.dev', { backoff: 10 })
      create() {
        return 'permitted';
      }
    }
    await harness.run(Guarded);
    await harness.create('a');
    await harness.advance(9);
    expect(harness.logger.messages('error')).toEqual([
      "[ns/a] Handler 'create' failed with an exception and will try again in 10 seconds: Forbidden resource",
    ]);
    await harness.advance(2);
    expect((await harness.object('a')).status).toEqual({ create: 'permitted' });
    expect(attempts).toEqual(['kopf', 'kopf']);
  });
});
