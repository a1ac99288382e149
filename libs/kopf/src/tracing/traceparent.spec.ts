import { formatTraceparent, linkTo, parseTraceparent } from './traceparent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('A traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [` 00-${TRACE}-${SPAN}-03\n`, 1],
    [`01-${TRACE}-${SPAN}-01-more`, 1],
  ])('should be read: %j', (text, traceFlags) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
  });

  it.each([
    '',
    'nonsense',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    undefined,
    null,
    1,
    {},
  ])('should be none: %j', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
    expect(linkTo(text, 'writer')).toEqual([]);
  });

  it('should be written as it is read, and not for spans that are nowhere', () => {
    const text = `00-${TRACE}-${SPAN}-01`;
    expect(formatTraceparent(parseTraceparent(text))).toBe(text);
    expect(formatTraceparent(undefined)).toBeUndefined();
    expect(formatTraceparent({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })).toBeUndefined();
  });
});
