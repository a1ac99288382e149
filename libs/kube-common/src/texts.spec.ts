import { errorStack, errorText, cutLine, cutStoredMessage, withErrorText } from './texts.js';
import { encodeState } from '../../kopf/src/state/state-encoding.js';

const broken = {
  toString() {
    throw new Error('no text');
  },
};

describe('errorText', () => {
  it.each<[unknown, string]>([
    [new TypeError('It is broken.'), 'It is broken.'],
    [new TypeError(), 'TypeError'],
    [Object.assign(new Error(), { message: 42 }), '42'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [Symbol('a'), 'Symbol(a)'],
    [Object.create(null), 'an error that cannot be shown'],
    [broken, 'an error that cannot be shown'],
  ])('should be found, case %#', (error, text) => {
    expect(errorText(error)).toBe(text);
  });
});

describe('errorStack', () => {
  it('should show causes that cannot be shown', () => {
    expect(errorStack(new Error('outside', { cause: broken }))).toMatch(
      /outside[^]*Caused by: an error that cannot be shown$/,
    );
  });

  it('should have no lines but frames and causes, whatever the texts are', () => {
    const forged = 'boom\n[Nest] 1  - LOG [Kopf] Everything is fine.\r\u001b[31mred';
    const error = new TypeError(forged, { cause: new Error(forged) });
    error.stack += '\n    at last (file.js:1:1)\nforged, too';
    for (const line of errorStack(error).split('\n')) expect(line).toMatch(/^(TypeError: |Caused by: Error: |\s+at )/);
    expect(errorStack(error)).toContain(
      'TypeError: boom\\n[Nest] 1  - LOG [Kopf] Everything is fine.\\r\\u001b[31mred',
    );
  });
});

describe('cutStoredMessage', () => {
  it.each(['', 'short', 'x'.repeat(1024), '"'.repeat(512), 'ü'.repeat(170), '\n'.repeat(512)])(
    'should leave a message alone that fits: %j',
    (message) => expect(cutStoredMessage(message)).toBe(message),
  );

  it.each(['x', '"', '\\', '\n', '\u0001', '\u007f', 'ü', '漢', '👍', 'a👍'])(
    'should limit what a message of many %j takes in a record, to the last byte',
    (character) => {
      for (const length of [1025, 270_000]) {
        for (const offset of ['', 'a', 'ab']) {
          const size = encodeState(cutStoredMessage(offset + character.repeat(length))).length - 2;
          expect(size).toBeLessThanOrEqual(1024);
          expect(size).toBeGreaterThan(1024 - 2 * 12 - 3);
        }
      }
    },
  );

  it('should keep both ends of a message', () => {
    const message = cutStoredMessage(`The request failed: ${'x'.repeat(2000)}, with the status 500`);
    expect(message).toMatch(/^The request failed: x+\.\.\.x+, with the status 500$/);
  });

  it.each([0, 1, 2, 3])('should keep characters whole that consist of two: %d characters before them', (count) => {
    const message = cutStoredMessage('a'.repeat(count) + '👍'.repeat(1000));
    expect(Buffer.from(message).toString()).toBe(message);
  });
});

describe('cutLine', () => {
  it.each(['x', 'ü', '漢', '👍'])('should limit the bytes of a line of many %j', (character) => {
    const line = cutLine(character.repeat(270_000));
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(16 * 1024);
    expect(Buffer.byteLength(line)).toBeGreaterThan(16 * 1024 - 16);
    expect(line).toContain('...');
  });

  it('should leave a line alone that fits', () => {
    const line = 'ü'.repeat(8 * 1024);
    expect(cutLine(line)).toBe(line);
  });
});

describe('The texts of errors', () => {
  it.each([
    [new Error('x'), 'x'],
    [new TypeError(), 'TypeError'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [{ toString: (): string => 'own' }, 'own'],
  ])('should be found whatever was thrown: case %#', (error, expected) => {
    expect(errorText(error)).toBe(expected);
  });

  it.each([
    ['message', undefined, 'message'],
    ['message:', new Error('x'), 'message: x'],
    ['', new Error('x'), 'x'],
    ['', undefined, ''],
  ])('should follow the message', (message, error, expected) => {
    expect(withErrorText(message, error)).toBe(expected);
  });
});

describe('The stacks of errors', () => {
  it('should show where the causes were thrown, too', () => {
    const cause = new TypeError('inner');
    expect(errorStack(new Error('outer', { cause }))).toMatch(
      /^Error: outer\n +at .*texts.spec[^]*\nCaused by: TypeError: inner\n +at .*texts.spec/,
    );
    expect(errorStack(new Error('outer', { cause: 'a text' }))).toMatch(/\nCaused by: a text$/);
    expect(errorStack('a text')).toBe('a text');
  });

  it('should come to an end', () => {
    const error = new Error('endless');
    error.cause = error;
    expect(errorStack(error).match(/Caused by/g)).toHaveLength(5);
  });

  it('should be there for errors that have none', () => {
    expect(errorStack(Object.assign(new Error('x'), { stack: undefined }))).toBe('x');
  });
});
