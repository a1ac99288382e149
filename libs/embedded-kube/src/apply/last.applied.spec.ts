import { customType } from './custom.type.js';
import { lastAppliedFields, withLastApplied } from './last.applied.js';
import { printPath } from './path.element.js';

const KEY = 'kubectl.kubernetes.io/last-applied-configuration';
const text = { type: 'string' };
const type = customType({ properties: { a: text, b: text, c: text } });
const live = (applied: unknown, content: object): object => ({
  apiVersion: 'v1',
  ...content,
  metadata: { annotations: { [KEY]: typeof applied === 'string' ? applied : JSON.stringify(applied), other: 'x' } },
});

describe('lastAppliedFields', () => {
  it.each<[string, unknown, object, string[]]>([
    ['what is still as it was applied', { apiVersion: 'v1', a: '1', b: '1' }, { a: '1', b: '2', c: '1' }, ['.a']],
    ['nothing of another version', { apiVersion: 'v2', a: '1' }, { a: '1' }, []],
    ['nothing of what cannot be read', '{', { a: '1' }, []],
  ])('should find %s', (_name, applied, content, expected) => {
    const fields = [...lastAppliedFields(live(applied, content), 'v1', type).paths()].map(printPath);
    expect(fields.filter((path) => path !== '.apiVersion')).toEqual(expected);
  });

  it('should find nothing without the annotation', () => {
    expect(lastAppliedFields({ apiVersion: 'v1', a: '1' }, 'v1', type).isEmpty).toBe(true);
  });
});

describe('withLastApplied', () => {
  const configuration = { apiVersion: 'v1', a: '2', metadata: { name: 'n', annotations: { [KEY]: 'old', x: 'y' } } };

  it('should renew the annotation in the form of kubectl', () => {
    const object = withLastApplied(live({}, {}), configuration) as {
      metadata: { annotations: Record<string, string> };
    };
    expect(object.metadata.annotations).toEqual({
      [KEY]: '{"a":"2","apiVersion":"v1","metadata":{"annotations":{"x":"y"},"name":"n"}}\n',
      other: 'x',
    });
  });

  it('should leave objects without it alone', () => {
    const object = { metadata: { name: 'n' } };
    expect(withLastApplied(object, configuration)).toBe(object);
  });
});
