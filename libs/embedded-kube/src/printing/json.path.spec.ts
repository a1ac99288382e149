import { JsonPath } from './json.path.js';

const data = {
  metadata: { labels: { 'a.b/c': 'label' } },
  spec: { s: 'text', n: 5, list: ['q', 'w', 'e'], nothing: null, map: { one: 1, two: 2 } },
  conditions: [
    { type: 'A', status: 'F', n: 1 },
    { type: 'Ready', status: 'T', n: 2 },
  ],
};

describe('JsonPath', () => {
  it.each([
    ['.spec.s', ['text']],
    ['{.spec.s}', ['text']],
    ['$.spec.s', ['text']],
    ['.spec.none.deeper', []],
    ['.spec.nothing', [null]],
    ['.spec.nothing.deeper', []],
    ['.spec.list[0]', ['q']],
    ['.spec.list[-1]', ['e']],
    ['.spec.list[9]', []],
    ['.spec.list[1:]', ['w', 'e']],
    ['.spec.list[:2]', ['q', 'w']],
    ['.spec.list[0:3:2]', ['q', 'e']],
    ['.spec.list[*]', ['q', 'w', 'e']],
    ['.spec.map.*', [1, 2]],
    ['.spec.map[0]', []],
    [".spec['s']", ['text']],
    [".spec['n','s']", [5, 'text']],
    ['.metadata.labels.a\\.b/c', ['label']],
    ['.conditions[?(@.type=="Ready")].status', ['T']],
    [".conditions[?(@.type=='Ready')].status", ['T']],
    ['.conditions[?(@.type!="Ready")].status', ['F']],
    ['.conditions[?(@.n>1)].status', ['T']],
    ['.conditions[?(@.n<=2)].status', ['F', 'T']],
    ['.conditions[?(@.status)].type', ['A', 'Ready']],
    ['.conditions[?(@.none)].type', []],
    ['.spec[?(@.type=="x")].y', []],
    ['..two', [2]],
    ['.constructor', []],
  ])('should find %s', (path, expected) => {
    expect(JsonPath.parse(path).find(data)).toEqual(expected);
  });

  it.each(['.spec[x]', '{range .items[*]}', '.list[?(@.a=="b"]', '.list[0'])('should refuse %s', (path) => {
    expect(() => JsonPath.parse(path)).toThrow();
  });
});
