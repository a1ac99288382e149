import type { KubeObject } from '../interfaces/kube-object.interface.js';
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
