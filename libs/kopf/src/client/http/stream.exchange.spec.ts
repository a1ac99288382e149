import type { Dispatcher } from 'undici';
import type { KubeResponse } from 'kube-common';
import { StreamExchange } from './stream.exchange.js';

const CHUNK = Buffer.alloc(100 * 1024, 'x');

describe('StreamExchange', () => {
  let handler: Dispatcher.DispatchHandler;
  const dispatcher = {
    dispatch: (_options: unknown, given: Dispatcher.DispatchHandler) => Boolean((handler = given)),
  } as unknown as Dispatcher;
  const abort = vi.fn();
  const resume = vi.fn();

  function open(signal?: AbortSignal): Promise<KubeResponse> {
    vi.clearAllMocks();
    const request = { method: 'GET', path: '/', headers: {}, signal };
    const response = StreamExchange.run(dispatcher, { method: 'GET', path: '/' }, request);
    handler.onConnect!(abort);
    handler.onHeaders!(200, [], resume, 'OK');
    return response;
  }

  it('should stop the connection while the consumer is behind, and lose nothing', async () => {
    const chunks = (await open()).chunks()[Symbol.asyncIterator]();
    expect([1, 2, 3].map(() => handler.onData!(CHUNK))).toEqual([true, true, false]);
    handler.onComplete!([]);
    await chunks.next();
    expect(resume).not.toHaveBeenCalled();
    await chunks.next();
    expect(resume).toHaveBeenCalledOnce();
    expect(await chunks.next()).toEqual({ done: false, value: CHUNK });
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
    expect(resume).toHaveBeenCalledOnce();
  });

  it('should give a waiting consumer each chunk at once, and the error of an interrupted response', async () => {
    const chunks = (await open()).chunks()[Symbol.asyncIterator]();
    const first = chunks.next();
    expect(handler.onData!(CHUNK)).toBe(true);
    expect(await first).toEqual({ done: false, value: CHUNK });
    const rest = chunks.next();
    handler.onError!(new Error('reset'));
    await expect(rest).rejects.toThrow('reset');
    expect(await chunks.next()).toEqual({ done: true, value: undefined });
  });

  it('should give what has arrived before the interruption, and then the error', async () => {
    const chunks = (await open()).chunks()[Symbol.asyncIterator]();
    handler.onData!(CHUNK);
    handler.onError!(new Error('reset'));
    expect(await chunks.next()).toEqual({ done: false, value: CHUNK });
    await expect(chunks.next()).rejects.toThrow('reset');
  });

  it('should close the connection when the consumer ends early, but not after the end', async () => {
    await (await open()).chunks()[Symbol.asyncIterator]().return!();
    expect(abort).toHaveBeenCalledOnce();
    const complete = (await open()).chunks()[Symbol.asyncIterator]();
    handler.onComplete!([]);
    await complete.return!();
    expect(abort).not.toHaveBeenCalled();
  });

  it('should close the connection when the signal is aborted, and leave no listener on it otherwise', async () => {
    const controller = new AbortController();
    await open(controller.signal);
    controller.abort(new Error('enough'));
    expect(abort).toHaveBeenCalledWith(new Error('enough'));
    const signal = new AbortController().signal;
    const remove = vi.spyOn(signal, 'removeEventListener');
    await open(signal);
    handler.onComplete!([]);
    expect(remove).toHaveBeenCalledOnce();
  });
});
