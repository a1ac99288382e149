import type { KubeObject } from '../objects/kube-object.js';
import { deepEqual, parseJson } from 'kube-common';
import { decodeState, encodeState } from './state-encoding.js';

describe('encodeState', () => {
  it.each([
    [{ a: [1, 'x'], b: null }, '{"a":[1,"x"],"b":null}'],
    ['é', '"\\u00e9"'],
    ['\u007f\u0000\n"\\/', '"\\u007f\\u0000\\n\\"\\\\/"'],
    ['😀', '"\\ud83d\\ude00"'],
    [{ ü: 1 }, '{"\\u00fc":1}'],
    ['\ud800', '"\\ud800"'],
  ])('should encode %j as Kopf does', (value, text) => {
    expect(encodeState(value)).toBe(text);
    expect(JSON.parse(text)).toEqual(value);
  });
});

describe('numbers', () => {
  // Taken from `json.dumps(json.loads(text), separators=(',', ':'))` of Python, for numbers as a real API server sends them.
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9223372036854776000', '9223372036854776000'],
    ['100000000000000000000', '100000000000000000000'],
    ['1e+21', '1e+21'],
    ['1.2345678901234568e+29', '1.2345678901234568e+29'],
    ['1.7976931348623157e+308', '1.7976931348623157e+308'],
    ['0.0001', '0.0001'],
    ['0.00001', '1e-05'],
    ['-0.00001234', '-1.234e-05'],
    ['0.000001', '1e-06'],
    ['1e-7', '1e-07'],
    ['1.23e-18', '1.23e-18'],
    ['5e-324', '5e-324'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0', '0'],
    ['"0.00001 \\" 1e-7"', '"0.00001 \\" 1e-7"'],
  ])('should be written as Kopf writes them: %s', (sent, written) => {
    const body = { metadata: {} } as KubeObject;
    const text = `{"a":${written},"b":[${written},-1,0.00001]}`.replace('0.00001]', '1e-05]');
    const value = parseJson(`{"a":${sent},"b":[${sent},-1,0.00001]}`);
    expect(encodeState(value)).toBe(text);
    expect(deepEqual(decodeState(text, 'x', body), value)).toBe(true);
  });
});

describe('decodeState', () => {
  const body: KubeObject = { metadata: { name: 'a' } };

  it.each([
    ['{"a":1}', { a: 1 }, undefined],
    [undefined, undefined, undefined],
    [null, undefined, undefined],
    ['null', undefined, undefined],
    ['', undefined, 'The stored state in x is not JSON. It is ignored.'],
    ['{"a":', undefined, 'The stored state in x is not JSON. It is ignored.'],
    ['[1]', undefined, 'The stored state in x is not a map. It is ignored.'],
    ['"text"', undefined, 'The stored state in x is not a map. It is ignored.'],
  ])('should decode %j to %j', (text, expected, warning) => {
    const warnings: unknown[] = [];
    const warn = (...args: unknown[]): void => void warnings.push(args);

    expect(decodeState(text, 'x', body, warn)).toEqual(expected);
    expect(warnings).toEqual(warning ? [[warning, body]] : []);
    expect(decodeState(text, 'x', body)).toEqual(expected);
  });
});
