import { ActivityError, OnStartup, PermanentError } from 'nestjs-kopf';
import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { runApplication } from '../support/module.harness.js';
import { AppModule, Database } from './startup-and-shutdown.example.js';

describe('The examples of startup and shutdown', () => {
  it('should open what is needed first, and close it last', async () => {
    const harness = await OperatorHarness.start();
    const application = await runApplication(harness, AppModule);
    await harness.create('a');
    await harness.advance(1);
    const database = application.get(Database);
    expect(database.rows).toEqual(['a']);
    await harness.clock.runUntil(application.close());
    expect(database.rows).toEqual(['a', 'the end']);
    expect(database.isOpen).toBe(false);
    const lines = harness.logger.messages('log').filter((line) => line.includes('licence'));
    expect(lines).toEqual(['The licence is valid.', 'The licence is given back.']);
  });

  it('should not start if a handler fails for good', async () => {
    class Refusing {
      @OnStartup()
      check() {
        throw new PermanentError('There is no licence.');
      }
    }
    const harness = await OperatorHarness.start();
    await expect(harness.run(Refusing, { required: true })).rejects.toThrow(ActivityError);
  });
});
