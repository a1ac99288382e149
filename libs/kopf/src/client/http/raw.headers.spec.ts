import { joinHeaders, parseHeaders } from './raw.headers.js';

describe('joinHeaders', () => {
  it('should make one text of each header', () => {
    const headers = { 'content-type': 'application/json', warning: ['299 - "a"', '299 - "b"'], origin: undefined };
    expect(joinHeaders(headers)).toEqual({ 'content-type': 'application/json', warning: '299 - "a", 299 - "b"' });
  });
});

describe('parseHeaders', () => {
  it('should make one text of each header, with its name in lower case', () => {
    const lines = ['Content-Type', 'application/json', 'Warning', '299 - "a"', 'warning', '299 - "b"'];
    expect(parseHeaders(lines.map((text) => Buffer.from(text)))).toEqual({
      'content-type': 'application/json',
      warning: '299 - "a", 299 - "b"',
    });
    expect(parseHeaders([])).toEqual({});
  });
});
