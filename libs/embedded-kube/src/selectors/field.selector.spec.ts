import { parseFieldSelector } from './field.selector.js';
import { SelectorError } from './selector.error.js';

const PODS = { group: '', plural: 'pods' };
const pod = { metadata: { name: 'a,b', namespace: 'ns' }, spec: { hostNetwork: true }, status: { phase: 'Running' } };

describe('parseFieldSelector', () => {
  it.each([
    ['', true],
    [',', true],
    ['status.phase=Running', true],
    ['status.phase==Running', true],
    ['status.phase!=Running', false],
    ['metadata.name=a\\,b,metadata.namespace=ns', true],
    ['metadata.name=a', false],
    ['spec.hostNetwork=true', true],
    ['spec.nodeName=', true],
    ['spec.nodeName!=', false],
  ])('should match %j: %s', (text, expected) => {
    expect(parseFieldSelector(text).forResource(PODS).matches(pod)).toBe(expected);
  });

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=b,status.phase in (a)', "invalid selector: 'a=b,status.phase in (a)'; can't understand 'status.phase in (a)'"],
    ['metadata.name=a\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['metadata.name=a\\', 'invalid field selector: invalid escape sequence: \\'],
    ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
  ])('should refuse %j as the real server does', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });

  it('should refuse a field that the resource cannot be selected by', () => {
    expect(() => parseFieldSelector('spec.foo=1').forResource(PODS)).toThrow(
      new SelectorError('field label not supported: spec.foo'),
    );
  });

  it.each([
    ['an absent count as zero', { group: 'batch', plural: 'jobs' }, 'status.successful=0', {}],
    ['an absent flag as false', { group: '', plural: 'nodes' }, 'spec.unschedulable=false', { spec: {} }],
    ['the source of an event', { group: '', plural: 'events' }, 'source=kopf', { source: { component: 'kopf' } }],
  ])('should take %s', (_name, resource, text, object) => {
    expect(parseFieldSelector(text).forResource(resource).matches(object)).toBe(true);
  });

  it('should allow the selectable fields of a custom resource', () => {
    const selector = parseFieldSelector('spec.color=red').forResource({ group: 'x.io', plural: 'xs' }, ['.spec.color']);
    expect(selector.matches({ spec: { color: 'red' } })).toBe(true);
    expect(selector.exactValue('spec.color')).toBe('red');
  });
});
