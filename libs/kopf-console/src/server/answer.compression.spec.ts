import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { AnswerCompression } from './answer.compression.js';

function asking(encodings?: string) {
  return { raw: { headers: { 'accept-encoding': encodings } } as IncomingMessage };
}

const LONG = JSON.stringify(
  Array.from({ length: 5000 }, (_, index) => ({ number: index, text: 'create has succeeded' })),
);

describe('The compression of answers', () => {
  it('should make long answers shorter, and lose nothing', async () => {
    const compressed = await new AnswerCompression().compress(asking('gzip, deflate, br'), LONG);
    expect(compressed!.length).toBeLessThan(LONG.length / 5);
    expect(gunzipSync(compressed!).toString()).toBe(LONG);
  });

  it('should leave short answers as they are, as lists are fetched again and again', async () => {
    expect(await new AnswerCompression().compress(asking('gzip'), LONG.slice(0, 20_000))).toBeUndefined();
  });

  it('should compress each file once', async () => {
    const compression = new AnswerCompression();
    const file = Buffer.from(LONG);
    const [one, other] = [
      await compression.compress(asking('gzip'), file),
      await compression.compress(asking('gzip'), file),
    ];
    expect(gunzipSync(one!).equals(file)).toBe(true);
    expect(other).toBe(one);
  });

  it.each([
    ['gzip', true],
    ['deflate, GZIP;q=0.5', true],
    [undefined, false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip; q=0.000, br', false],
    ['x-gzip', false],
  ])('should be only for clients that accept it: %s', async (encodings, expected) => {
    const compressed = await new AnswerCompression().compress(asking(encodings), LONG);
    expect(compressed !== undefined).toBe(expected);
  });
});
