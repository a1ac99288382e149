import { IsPositive } from 'class-validator';
import { AdmissionError, PermanentError, TemporaryError, Validate, type AdmissionContext } from 'nestjs-kopf';
import { KOPF_CHANNELS, type HandlerMessage } from '../../../libs/kopf/src/diagnostics/channels.js';
import { outcomeLabel } from '../../../libs/kopf/src/execution/outcome.labels.js';
import { KEX } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview, StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { MeteredWorld } from '../metrics/metered.operator.js';

class Size {
  @IsPositive() size: number;
}

class Handlers {
  @Validate(...KEX)
  passed() {}

  @Validate(...KEX)
  admission() {
    throw new AdmissionError('It is bad.', 422);
  }

  @Validate(...KEX)
  permanent() {
    throw new PermanentError('It is bad.');
  }

  @Validate(...KEX, { dto: Size })
  violated(_context: AdmissionContext) {}

  @Validate(...KEX)
  temporary() {
    throw new TemporaryError('The database is away.');
  }

  @Validate(...KEX)
  broken() {
    throw new Error('It is broken.');
  }
}

describe('The outcome of a review', () => {
  it.each([
    ['passed', 'succeeded', undefined],
    ['admission', 'rejected', 'log'],
    ['permanent', 'rejected', 'log'],
    ['violated', 'rejected', 'log'],
    ['temporary', 'failed', 'error'],
    ['broken', 'failed', 'error'],
  ] as const)('should be told by metrics, channels, and the log: %s', async (webhook, outcome, level) => {
    const ended: HandlerMessage[] = [];
    const note = (message: HandlerMessage): void => void ended.push(message);
    KOPF_CHANNELS.handlerEnd.subscribe(note);
    onTestFinished(() => void KOPF_CHANNELS.handlerEnd.unsubscribe(note));
    const server = new StubAdmissionServer({ url: 'https://host' });
    const world = await MeteredWorld.start([Handlers], { admission: { server } });
    const { harness } = world;
    const before = { log: count('log'), error: count('error') };
    const { response } = await server.review(makeReview(makeExample({ size: -1 })), { webhook });
    expect(response.allowed).toBe(webhook === 'passed');
    expect(ended.map((message) => outcomeLabel(message.outcome!))).toEqual([outcome]);
    expect(ended[0].outcome?.final).toBe(true);
    for (const each of ['succeeded', 'rejected', 'retried', 'failed']) {
      const value = await world.value('kopf_handler_attempts_total', { handler: webhook, outcome: each });
      expect(value ?? 0).toBe(each === outcome ? 1 : 0);
    }
    expect({ log: count('log') - before.log, error: count('error') - before.error }).toEqual({
      log: level === 'log' ? 1 : 0,
      error: level === 'error' ? 1 : 0,
    });

    function count(which: 'log' | 'error'): number {
      return harness.logger.messages(which).length;
    }
  });
});
