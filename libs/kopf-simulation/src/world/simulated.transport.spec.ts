import { type KubeRequest, type KubeResponse, type KubeTransport, SeededRandom, sleep } from 'kube-common';
import { VirtualClock } from 'nestjs-kopf/testing';
import { SimulatedTransport, type TransportTargets } from './simulated.transport.js';

const PATH = '/api/v1/namespaces?watch=true&resourceVersion=1';

/** A server that keeps watches open, each of which can be cut, or ended by the operator. */
function connect() {
  const cuts: (() => void)[] = [];
  const time = { now: 0 };
  const state = { isRefusing: false, reopened: 0 };
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
    faults: Object.assign(state, {
      beforeRequest: () => undefined,
      beforeRead: () => undefined,
      gateOf: () => undefined,
    }),
    process: { monotonic: () => time.now, thawed: undefined },
    activity: { begin: () => () => {}, record: () => {} },
    objects: { findNamed: () => undefined },
    onFailure: () => {},
    onReopened: () => void state.reopened++,
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
  return { transport, open, time, state };
}

/** An event of a watch, by the object that it is about, and its place among all events. */
interface NumberedEvent {
  readonly object: string;
  readonly version: number;
}

const OBJECTS = ['a', 'b', 'c'];
const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

/** A server that answers each request by its path, and a watch by the events, some of which happen at the same time; on virtual time. */
function connectLate(seed: number | undefined, events: readonly NumberedEvent[] = []) {
  const clock = new VirtualClock();
  const gaps = new SeededRandom((seed ?? 0) + 1000);
  const emitted: number[] = [];
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (const event of events) {
      if (gaps.next() < 0.5) await sleep(clock, gaps.next() / 20);
      emitted.push(clock.monotonic());
      yield Buffer.from(`${JSON.stringify(event)}\n`);
    }
  };
  const request = ({ path }: KubeRequest): Promise<KubeResponse> =>
    Promise.resolve({ status: 200, headers: {}, chunks, text: () => Promise.resolve(path) });
  const targets = {
    userAgent: 'operator-1',
    faults: { gateOf: () => undefined, beforeRequest: () => undefined, beforeRead: () => undefined, isRefusing: false },
    process: Object.assign(clock, { thawed: undefined }),
    activity: { begin: () => () => {}, record: () => {} },
    objects: { findNamed: () => undefined },
    delays: seed === undefined ? undefined : new SeededRandom(seed),
    onFailure: () => {},
    onReopened: () => {},
  } as unknown as TransportTargets;
  const transport = new SimulatedTransport({ request, close: () => Promise.resolve() } as KubeTransport, targets);
  return { clock, transport, emitted };
}

/** Random events of three objects, in one order. */
function drawEvents(seed: number): readonly NumberedEvent[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: 30 }, (_, index) => ({
    object: OBJECTS[Math.floor(random.next() * OBJECTS.length)]!,
    version: index + 1,
  }));
}

/** Reads watches of all events, one after another, as an operator opens the next one when one has ended. */
async function watch(seed: number | undefined, watches = 1) {
  const events = drawEvents(seed ?? 0);
  const { clock, transport, emitted } = connectLate(seed, events);
  const seen: NumberedEvent[] = [];
  const times: number[] = [];
  const read = async (): Promise<void> => {
    for (let number = 0; number < watches; number++) {
      const response = await transport.request({ method: 'GET', path: PATH, headers: {} });
      for await (const chunk of response.chunks()) {
        const event = JSON.parse(Buffer.from(chunk).toString()) as NumberedEvent;
        seen.push({ ...event, version: event.version + number * events.length });
        times.push(clock.monotonic());
      }
    }
  };
  await clock.runUntil(read());
  return { events, seen, delays: times.map((time, index) => time - emitted[index]!) };
}

/** The paths of requests that are sent at the same time, in the order in which they are answered. */
async function answersOf(seed: number | undefined): Promise<readonly string[]> {
  const { clock, transport } = connectLate(seed);
  const order: string[] = [];
  const send = async (name: string): Promise<void> => {
    const path = `/api/v1/namespaces/default/configmaps/${name}`;
    const response = await transport.request({ method: 'GET', path, headers: {} });
    expect(await response.text()).toBe(path);
    order.push(name);
  };
  await clock.runUntil(Promise.all(OBJECTS.map(send)));
  return order;
}

describe('SimulatedTransport with delays', () => {
  it('should bring the events of a watch late, and in their order, with each seed', async () => {
    for (const seed of SEEDS) {
      const { events, seen, delays } = await watch(seed);
      expect(seen, `seed ${seed}`).toEqual(events);
      expect(Math.max(...delays), `seed ${seed}`).toBeGreaterThan(0);
      expect(Math.max(...delays), `seed ${seed}`).toBeLessThanOrEqual(40);
    }
  });

  it('should bring the events of an object in their order, also by the next watch, with each seed', async () => {
    for (const seed of SEEDS) {
      const { seen } = await watch(seed, 2);
      for (const object of OBJECTS) {
        const versions = seen.filter((event) => event.object === object).map(({ version }) => version);
        expect(versions.length, `seed ${seed}`).toBeGreaterThan(2);
        expect(versions, `seed ${seed}`).toEqual([...versions].sort((one, other) => one - other));
      }
    }
  });

  it('should answer requests that are sent at the same time in each order, with some seed', async () => {
    const orders = new Set<string>();
    for (const seed of SEEDS) orders.add((await answersOf(seed)).join());
    expect([...orders].sort()).toEqual(['a,b,c', 'a,c,b', 'b,a,c', 'b,c,a', 'c,a,b', 'c,b,a']);
  });

  it('should delay nothing without a seed', async () => {
    expect(await answersOf(undefined)).toEqual(OBJECTS);
    const { delays } = await watch(undefined);
    expect(new Set(delays)).toEqual(new Set([0]));
  });
});

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

  it('should report a watch that is open again after a failure, and not one that has ended regularly', async () => {
    const { open, state } = connect();
    const one = await open();
    one.cut();
    await one.ended;
    const other = await open();
    expect(state.reopened).toBe(0);
    other.cut();
    await other.ended;
    state.isRefusing = true;
    await expect(open()).rejects.toThrow('ECONNREFUSED');
    expect(state.reopened).toBe(0);
    state.isRefusing = false;
    await open();
    await open();
    expect(state.reopened).toBe(1);
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
