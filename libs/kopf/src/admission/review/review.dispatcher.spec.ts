import { OperatorIdentity } from '../../diagnostics/channels.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { ReviewDispatcher } from './review.dispatcher.js';

describe('ReviewDispatcher', () => {
  const REVIEW = { kind: 'AdmissionReview' };
  const CONVERSION = { kind: 'ConversionReview' };
  let dispatcher: ReviewDispatcher;

  beforeEach(() => {
    dispatcher = new ReviewDispatcher(new OperatorIdentity(), new VirtualClock());
  });

  function answering(name: string): () => Promise<never> {
    return async () => ({ name, response: { result: {} } }) as never;
  }

  const ask = (input: object): Promise<unknown> => dispatcher.answer(input, { headers: {} });

  it('should answer 503 without a session', async () => {
    expect(dispatcher.isServing).toBe(false);
    for (const input of [REVIEW, CONVERSION]) {
      await expect(ask(input)).rejects.toMatchObject({ status: 503, retryAfter: expect.any(Number) });
    }
  });

  it('should pass each kind of review to its reviewer', async () => {
    dispatcher.serve({ conversion: answering('conversions') });
    expect(dispatcher.isServing).toBe(false);
    dispatcher.serve({ admission: answering('admission') });
    expect(dispatcher.isServing).toBe(true);
    expect(await ask(REVIEW)).toMatchObject({ name: 'admission' });
    expect(await ask(CONVERSION)).toMatchObject({ name: 'conversions' });
  });

  it('should take all reviews for reviews of admission if there are no conversions', async () => {
    dispatcher.serve({ admission: answering('admission') });
    expect(await ask(CONVERSION)).toMatchObject({ name: 'admission' });
  });

  it('should keep the session that has begun last when an earlier one ends late', async () => {
    const endFirst = dispatcher.serve({ admission: answering('first') });
    const endSecond = dispatcher.serve({ admission: answering('second') });
    expect(await ask(REVIEW)).toMatchObject({ name: 'second' });
    endFirst();
    endFirst();
    expect(await ask(REVIEW)).toMatchObject({ name: 'second' });
    endSecond();
    expect(dispatcher.isServing).toBe(false);
  });

  it('should count the reviews in progress', async () => {
    let finish = (): void => undefined;
    const work = new Promise<void>((resolve) => (finish = resolve));
    dispatcher.serve({ admission: async () => work.then(answering('late')) });
    const answer = ask(REVIEW);
    expect(dispatcher.reviewing).toBe(1);
    finish();
    await answer;
    expect(dispatcher.reviewing).toBe(0);
  });
});
