import { SeededRandom } from 'kube-common';
import { LineSplitter } from './line.splitter.js';

function split(text: string, sizes: () => number): string[] {
  const bytes = Buffer.from(text);
  const splitter = new LineSplitter();
  const lines: string[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(bytes.length, start + sizes());
    splitter.push(bytes.subarray(start, end), (line) => lines.push(line));
    start = end;
  }
  const rest = splitter.flush();
  return rest ? [...lines, rest] : lines;
}

describe('LineSplitter', () => {
  it.each<[string, string, string[]]>([
    ['nothing', '', []],
    ['whole lines', 'a\nbc\n', ['a', 'bc']],
    ['empty lines', '\n\na\n\nb\n\n', ['a', 'b']],
    ['a rest', 'a\nb', ['a', 'b']],
    ['characters of several bytes', 'größe ✓ 🎉\n日本語\n', ['größe ✓ 🎉', '日本語']],
  ])('should split %s, wherever the chunks end', (_, text, expected) => {
    for (let size = 1; size <= 12; size++) expect(split(text, () => size)).toEqual(expected);
    const random = new SeededRandom(4);
    expect(split(text, () => 1 + Math.floor(random.next() * 5))).toEqual(expected);
  });

  it('should take views of larger memory', () => {
    const memory = new Uint8Array(Buffer.from('xxa\nbxx')).buffer;
    const splitter = new LineSplitter();
    const lines: string[] = [];
    splitter.push(new Uint8Array(memory, 2, 3), (line) => lines.push(line));
    expect(lines).toEqual(['a']);
    expect(splitter.flush()).toBe('b');
  });

  it('should keep the callback order when one push completes several lines', () => {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    splitter.push(Buffer.from('a'), (line) => lines.push(line));
    splitter.push(Buffer.from('b\nc\nd'), (line) => lines.push(line));
    splitter.push(Buffer.from('\n'), (line) => lines.push(line));
    expect(lines).toEqual(['ab', 'c', 'd']);
  });

  it('should split a line of many megabytes in small chunks in a time that grows with its length only', () => {
    const line = 'x'.repeat(32 * 1024 * 1024);
    const started = process.cpuUsage();
    expect(split(`${line}\n`, () => 16 * 1024)).toEqual([line]);
    // Copying the whole line for each of the 2048 chunks would take half a minute.
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  });
});
