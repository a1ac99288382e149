import { FaultyStream } from './faulty.stream.js';

function line(version: number): Uint8Array {
  return Buffer.from(
    `${JSON.stringify({ type: 'MODIFIED', object: { metadata: { resourceVersion: `${version}` } } })}\n`,
  );
}

/** A watch whose lines come when a test sends them. */
class Source implements AsyncIterableIterator<Uint8Array> {
  private deliver: ((result: IteratorResult<Uint8Array>) => void) | undefined;

  next(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve) => (this.deliver = resolve));
  }

  send(version: number): void {
    this.deliver!({ done: false, value: line(version) });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function letMicrotasksRun(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await Promise.resolve();
}

describe('FaultyStream', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])(
    'should keep the order of lines if they are released %i microtasks after the next one',
    async (count) => {
      const source = new Source();
      const stream = new FaultyStream(source, () => undefined, undefined);
      const text = stream.next().then(async (first) => {
        const parts = [first.value as Uint8Array];
        while (Buffer.concat(parts).toString().split('\n').length < 3)
          parts.push((await stream.next()).value as Uint8Array);
        return Buffer.concat(parts).toString();
      });
      stream.holdAfter(1);
      source.send(2);
      await letMicrotasksRun(20);
      source.send(3);
      await letMicrotasksRun(count);
      stream.holdAfter(Infinity);
      expect(await text).toBe(`${Buffer.from(line(2)).toString()}${Buffer.from(line(3)).toString()}`);
    },
  );
});
