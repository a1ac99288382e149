import { errorStack, errorText } from './error-text.js';

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
