import { labelSelectorOf, parseLabelSelector } from './label.selector.js';
import { SelectorError } from './selector.error.js';

const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NAME_REGEX =
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE = `a valid label must be an empty string or ${NAME.slice(5)} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;

describe('parseLabelSelector', () => {
  it.each([
    ['', undefined, true],
    ['a=b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', undefined, false],
    ['a==b', { a: 'b' }, true],
    ['a=', { a: '' }, true],
    ['a!=b', { a: 'c' }, true],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a', { a: '' }, true],
    ['a', {}, false],
    ['!a', {}, true],
    ['! a', { a: '1' }, false],
    ['a in (b, c)', { a: 'c' }, true],
    ['a in (b,c)', {}, false],
    ['a in (b,,c)', { a: '' }, true],
    ['a in ()', { a: '' }, true],
    ['a in (,)', { a: '' }, true],
    ['a notin (b)', {}, true],
    ['a notin (b)', { a: 'b' }, false],
    ['a in (in,notin)', { a: 'notin' }, true],
    ['in=x', { in: 'x' }, true],
    ['a>1', { a: '2' }, true],
    ['a>1', { a: '1' }, false],
    ['a<1,b', { a: '-5', b: '' }, true],
    ['a>1', { a: 'x' }, false],
    ['x.io/a=b,c!=d', { 'x.io/a': 'b' }, true],
    ['x.io/a=b,c!=d', { 'x.io/a': 'b', c: 'd' }, false],
    ['toString', {}, false],
  ])('should match %j against %j: %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels as Record<string, string> | undefined)).toBe(expected);
  });

  it.each([
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['(a)', "found '(', expected: !, identifier, or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a=b,', "found '', expected: identifier after ','"],
    ['a==b=c', "found '=', expected: ',' or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a==!b', "unable to parse requirement: found '!', expected: identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['-a', `unable to parse requirement: <nil>: Invalid value: "-a": name part ${NAME} ${NAME_REGEX}`],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
    [
      'a/b/c',
      `unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key ${NAME} ${NAME_REGEX} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    ['a=-x', `unable to parse requirement: values[0][a]: Invalid value: "-x": ${VALUE}`],
    [
      'a in (-,+)',
      `unable to parse requirement: [values[0][a]: Invalid value: "+": ${VALUE}, values[1][a]: Invalid value: "-": ${VALUE}]`,
    ],
    [
      `a=${'a'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'a'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])('should refuse %j as the real server does', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message));
  });

  it('should print its requirements in the order of their keys', () => {
    expect(String(parseLabelSelector('c, b in (y,x),!d,a=1, e notin (z),f!=2'))).toBe(
      'a=1,b in (x,y),c,!d,e notin (z),f!=2',
    );
  });
});

describe('labelSelectorOf', () => {
  it('should take labels and expressions together', () => {
    const selector = labelSelectorOf({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['x', 'y'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    });
    expect(String(selector)).toBe('a in (x,y),b=1,!c');
    expect(selector.matches({ a: 'x', b: '1' })).toBe(true);
    expect(selector.matches({ a: 'x', b: '1', c: '' })).toBe(false);
  });
});
