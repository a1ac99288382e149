import { KopfOperator } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { createApplication } from '../support/module.harness.js';
import { AppModule, ItemsController, ItemsOperator, OperatorModule } from './availability.example.js';

describe('The examples of availability', () => {
  it('should start without the cluster, and handle objects when it comes back', async () => {
    const harness = await OperatorHarness.start();
    await harness.create('a');
    await harness.kube.faults.goDown();
    const application = await createApplication(harness, AppModule);
    await harness.advance(600);
    const operator = application.get(KopfOperator, { strict: false });
    expect([operator.state, application.get(ItemsController).list()]).toEqual(['starting', ['bolts', 'nuts']]);
    await harness.kube.faults.comeBack();
    await harness.clock.runUntil(operator.ready());
    await harness.advance(1);
    expect(application.get(ItemsOperator).seen).toEqual(['a']);
  });

  it('should not start without credentials if the operator is required', async () => {
    const harness = await OperatorHarness.start();
    const fault = harness.kube.faults.reject(401, { times: Infinity });
    const application = await createApplication(harness, OperatorModule);
    const operator = application.get(KopfOperator);
    await harness.advance(600);
    expect([operator.required, operator.state]).toEqual([true, 'failed']);
    fault.cancel();
  });
});
