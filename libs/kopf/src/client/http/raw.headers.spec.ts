import { joinHeaders } from './raw.headers.js';

describe('joinHeaders', () => {
  it('should make one text of each header', () => {
    const headers = { 'content-type': 'application/json', warning: ['299 - "a"', '299 - "b"'], origin: undefined };
    expect(joinHeaders(headers)).toEqual({ 'content-type': 'application/json', warning: '299 - "a", 299 - "b"' });
  });
});
