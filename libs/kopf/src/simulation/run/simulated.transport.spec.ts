import type { KubeRequest, KubeResponse, KubeTransport } from '../../client/http/kube.transport.js';
import { SimulatedTransport, type TransportTargets } from './simulated.transport.js';

const PATH = '/api/v1/namespaces?watch=true&resourceVersion=1';

/** Keeps watches open, each of which can be cut, or ended by the operator. */
function connect() {
  const cuts: (() => void)[] = [];
  const time = { now: 0 };
  const request = ({ signal }: KubeRequest): Promise<KubeResponse> => {
    const end = new Promise<void>((resolve, reject) => {
      cuts.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
    // A watch without any event before its end.
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      await end;
      yield Buffer.from('{"type":"ERROR"}');
    };
    return Promise.resolve({ status: 200, headers: {}, chunks, text: () => Promise.resolve('') });
  };
  const targets = {
    userAgent: 'operator-1',
    faults: { beforeRead: () => undefined, gateOf: () => undefined, isRefusing: false },
    process: { monotonic: () => time.now, thawed: undefined },
    activity: { begin: () => () => {}, note: () => {} },
    objects: { findNamed: () => undefined },
    onFailure: () => {},
  } as unknown as TransportTargets;
  const transport = new SimulatedTransport({ request, close: () => Promise.resolve() } as KubeTransport, targets);
  const open = async (isRead = true) => {
    const ending = new AbortController();
    const response = await transport.request({ method: 'GET', path: PATH, headers: {}, signal: ending.signal });
    const read = async () => {
      for await (const chunk of response.chunks()) if (!isRead && chunk) break;
    };
    const ended = read().catch(() => {});
    await Promise.resolve();
    return { cut: cuts.at(-1)!, ending, ended };
  };
  return { transport, open, time };
}

describe('SimulatedTransport', () => {
  const isPaused = () => false;

  it('should be busy as long as any of several watches of the same objects is lost', async () => {
    const { transport, open, time } = connect();
    const [one, other] = [await open(), await open()];
    expect(transport.isBusy(isPaused)).toBe(false);
    one.cut();
    other.cut();
    await Promise.all([one.ended, other.ended]);
    time.now += 100_000;
    await open();
    expect(transport.isBusy(isPaused)).toBe(true);
    expect(transport.isBusy(() => true)).toBe(false);
    await open();
    expect(transport.isBusy(isPaused)).toBe(false);
  });

  it('should be busy with a watch that the operator has given up because of an error', async () => {
    const { transport, open, time } = connect();
    const one = await open(false);
    one.cut();
    await one.ended;
    time.now += 100_000;
    expect(transport.isBusy(isPaused)).toBe(true);
  });

  it('should be busy with a watch that the operator has ended for as long as it may open it again', async () => {
    const { transport, open, time } = connect();
    const [one] = [await open(), await open()];
    one.ending.abort(new Error('It is over.'));
    await one.ended;
    expect(transport.isBusy(isPaused)).toBe(true);
    time.now += 61_000;
    expect(transport.isBusy(isPaused)).toBe(false);
  });
});
