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
});
