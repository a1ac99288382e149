import type { KubeObject } from '../resources/kube-object.js';
import { assertStorable } from './object.size.js';

const LIMIT = 1.5 * 1024 * 1024;

/** Returns an object that is so many characters longer than the limit. */
function objectBeyond(characters: number, spec: (text: string) => object): KubeObject {
  const object = (text: string) =>
    ({ kind: 'Widget', metadata: { name: 'a' }, spec: spec(text) }) as unknown as KubeObject;
  return object('x'.repeat(LIMIT + characters - JSON.stringify(object('')).length));
}

describe('assertStorable', () => {
  it.each<[string, (text: string) => object]>([
    ['a text', (text) => ({ text })],
    ['a text in a list', (text) => ({ list: [{ list: [1, null, text] }] })],
    ['a key', (text) => ({ [text]: {} })],
  ])('should accept an object of exactly the limit, and reject a longer one: %s', (_, spec) => {
    expect(() => assertStorable(objectBeyond(0, spec))).not.toThrow();
    expect(() => assertStorable(objectBeyond(1, spec))).toThrow('etcdserver: request is too large');
  });
});
