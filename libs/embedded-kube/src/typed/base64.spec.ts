import { canonicalBase64 } from './base64.js';

describe('canonicalBase64', () => {
  it.each(['', 'YQ==', 'YWE=', 'YWFh', '+/+/'])('should leave %j as it is', (text) => {
    expect(canonicalBase64(text)).toBe(text);
  });

  it('should leave out line breaks, and bits beyond the last byte', () => {
    expect(canonicalBase64('\nYW\r\nFh\nYR=\n=\n')).toBe('YWFhYQ==');
  });

  it.each([
    ['canary', 4],
    ['YQ=', 3],
    ['YQ=a', 2],
    ['YWE=YWE=', 4],
    ['é', 0],
  ])('should reject %j with the place of the error', (text, position) => {
    expect(() => canonicalBase64(text)).toThrow(`illegal base64 data at input byte ${position}`);
  });
});
