import { OnCreate, OnStartup, PermanentError, TemporaryError, type ActivityContext } from 'nestjs-kopf';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

describe('Errors of startup handlers', () => {
  it('should be retried before anything is handled', async () => {
    const calls: string[] = [];
    class Operator {
      @OnStartup({ backoff: 5 })
      configure({ retry, settings }: ActivityContext) {
        calls.push(`startup ${retry}`);
        if (retry === 0) throw new Error('not yet');
        if (retry === 1) throw new TemporaryError('not yet', { delay: 3 });
        settings.posting.enabled = false;
      }
      @OnCreate(...KEX)
      create() {
        calls.push('create');
      }
    }
    const harness = await OperatorHarness.start();
    await harness.create('a');
    await harness.run(Operator);
    await harness.advance(1);
    expect(calls).toEqual(['startup 0', 'startup 1', 'startup 2', 'create']);
  });

  it('should fail the start if they are final, with the names of all handlers that have failed', async () => {
    class One {
      @OnStartup()
      configure() {
        throw new PermanentError('bad settings');
      }
    }
    class Two {
      @OnStartup()
      configure() {}
    }
    class Three {
      @OnStartup({ retries: 1 })
      connect() {
        throw new Error('no database');
      }
    }
    const harness = await OperatorHarness.start();
    await expect(harness.run([One, Two, Three], { required: true })).rejects.toMatchObject({
      code: 'KOPF_ACTIVITY',
      message: expect.stringMatching(/startup has failed: One.configure: bad settings; Three.connect: .*no database/),
    });
  });
});
