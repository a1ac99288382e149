import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdmissionCall } from '../../reviews/admission.review.js';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { ReviewEndpoint, type ReviewEndpointOptions } from './review.endpoint.js';

const HEADERS = { 'content-type': 'application/json' };

describe('ReviewEndpoint behind the server of an application', () => {
  const socket = {};
  let calls: AdmissionCall[];
  let clock: VirtualClock;

  beforeEach(() => {
    calls = [];
    clock = new VirtualClock();
  });

  function create(options: Partial<ReviewEndpointOptions> = {}): ReviewEndpoint {
    const review = (_review: unknown, call: AdmissionCall): Promise<never> => {
      calls.push(call);
      return new Promise(() => undefined);
    };
    const logger = { debug: () => undefined, error: () => undefined } as never;
    return new ReviewEndpoint({
      review,
      path: '/hooks',
      bodyLimit: 10,
      identify: () => undefined,
      clock,
      logger,
      ...options,
    });
  }

  function makeRequest(httpVersionMajor: number, more: object = {}): IncomingMessage {
    return { method: 'POST', url: '/hooks/check', headers: HEADERS, httpVersionMajor, socket, ...more } as never;
  }

  function makeResponse(): ServerResponse {
    return new EventEmitter() as never;
  }

  it.each([
    [1, true],
    [2, false],
  ])('should give up the reviews of a connection of HTTP/%i with one request: %s', async (version, expected) => {
    const endpoint = create();
    const [gone, other] = [makeResponse(), makeResponse()];
    const answer = endpoint.answer(makeRequest(version), gone, () => ({}));
    void endpoint.answer(makeRequest(version), other, () => ({}));
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    gone.emit('close');
    expect(await answer).toMatchObject({ status: 499 });
    expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true, expected]);
  });

  it('should have no time limit without the option', async () => {
    void create().answer(makeRequest(1), makeResponse(), () => ({}));
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(clock.pending).toBe(0);
  });

  it('should check a request before it reads the review, and return what to send', async () => {
    const endpoint = create({ review: async () => ({ response: { uid: 'a' } }) as never });
    const read = vi.fn(() => ({}));
    const wrong = await endpoint.answer(makeRequest(1, { method: 'PUT' }), makeResponse(), read);
    expect(wrong).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(await endpoint.answer(makeRequest(1, { url: '/other' }), makeResponse(), read)).toMatchObject({
      status: 404,
    });
    expect(read).not.toHaveBeenCalled();
    expect(await endpoint.answer(makeRequest(1), makeResponse(), read)).toEqual({
      status: 200,
      headers: {},
      text: '{"response":{"uid":"a"}}',
    });
  });
});
