import { readLines } from './line.reader.js';

const read = (text: string, chunkSize: number) => {
  const bytes = Buffer.from(text);
  let position = 0;
  const reader = (buffer: Uint8Array): number => {
    const length = bytes.copy(buffer, 0, position, position + buffer.length);
    position += length;
    return length;
  };
  return [...readLines(reader, chunkSize)];
};

describe('readLines', () => {
  it.each([1, 2, 3, 5, 100])('should read lines through chunks of %i bytes', (size) => {
    expect(read('ab\n\nçde\nrest', size)).toEqual([
      { line: 'ab', complete: true, bytes: 3 },
      { line: '', complete: true, bytes: 1 },
      { line: 'çde', complete: true, bytes: 5 },
      { line: 'rest', complete: false, bytes: 4 },
    ]);
  });

  it('should find nothing in an empty file', () => {
    expect(read('', 10)).toEqual([]);
  });
});
