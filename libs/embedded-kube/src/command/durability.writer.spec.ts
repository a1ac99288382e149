import { SeededRandom } from 'kube-common';
import { type Send, type StoredMap, Writer } from './durability.writer.spec-support.js';

/** Returns a writer whose objects are acknowledged at version 5, until the server is gone. */
async function writerAfter(method: 'POST' | 'PUT' | 'DELETE'): Promise<{ writer: Writer; sent: string[] }> {
  const sent: string[] = [];
  const answer: Send = async (_, verb, body) => {
    sent.push((body as { data: { text: string } } | undefined)?.data.text ?? '');
    if (sent.length > 1 || (method === 'POST' && verb === 'POST')) throw new Error('the server is gone');
    return { status: 200, body: { metadata: { resourceVersion: '5' } } };
  };
  const writer = new Writer('w', new SeededRandom(1), 1, answer);
  if (method !== 'POST') await writer.change('w-0', 'POST');
  await expect(writer.change('w-0', method)).rejects.toThrow('the server is gone');
  return { writer, sent };
}

const stored = (state: StoredMap): Map<string, StoredMap> => new Map(state ? [['w-0', state]] : []);

describe('a writer that got no answer', () => {
  it('should accept a created object that is there or not, and no other', async () => {
    const { writer, sent } = await writerAfter('POST');
    expect(writer.settle(stored(undefined))).toEqual([]);
    const { writer: second } = await writerAfter('POST');
    expect(second.settle(stored({ version: '1', text: sent[0]! }))).toEqual([]);
    const { writer: third } = await writerAfter('POST');
    expect(third.settle(stored({ version: '1', text: 'torn' }))).toEqual(['w-0 is torn at 1 after gone']);
  });

  it.each([
    ['as it was', '5', 0, true],
    ['as it was sent', '6', 1, true],
    ['as it was, at another version', '6', 0, false],
    ['as it was sent, at an older version', '5', 1, false],
  ])('should judge a changed object that is %s', async (_, version, index, isPossible) => {
    const { writer, sent } = await writerAfter('PUT');
    expect(writer.settle(stored({ version, text: sent[index]! }))).toHaveLength(isPossible ? 0 : 1);
  });

  it('should not accept that a changed object is gone', async () => {
    const { writer } = await writerAfter('PUT');
    expect(writer.settle(stored(undefined))).toEqual([expect.stringMatching(/^w-0 is gone after .* at 5$/)]);
  });

  it('should accept a deleted object that is gone, or as it was', async () => {
    expect((await writerAfter('DELETE')).writer.settle(stored(undefined))).toEqual([]);
    const { writer, sent } = await writerAfter('DELETE');
    expect(writer.settle(stored({ version: '5', text: sent[0]! }))).toEqual([]);
    const { writer: other } = await writerAfter('DELETE');
    expect(other.settle(stored({ version: '6', text: sent[0]! }))).toHaveLength(1);
  });

  it('should notice objects that nobody has written', async () => {
    const { writer } = await writerAfter('POST');
    const found = new Map([['w-7', { version: '1', text: 'x' }]]);
    expect(writer.settle(found)).toEqual(['w-7 was never written']);
  });
});
