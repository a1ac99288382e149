import type { KubeObject } from '../objects/kube-object.js';
import { ObjectSelector } from './object-selector.js';

const object = (labels: Record<string, string> | undefined, rest: object = {}): KubeObject => ({
  metadata: { name: 'web', namespace: 'ns', labels },
  ...rest,
});

describe('ObjectSelector', () => {
  it.each<[unknown, string | undefined, string | undefined]>([
    [{ labels: 'app=web' }, 'app=web', undefined],
    [{ labels: ' app == web , tier!=cache,!legacy,x.io/y' }, '!legacy,app=web,tier!=cache,x.io/y', undefined],
    [{ labels: 'a in (y, x,x), b notin (z),c>5,d<-1,e=' }, 'a in (x,y),b!=z,c>5,d<-1,e=', undefined],
    [{ labels: 'a in (x,),b notin ()' }, 'a in (,x),b!=', undefined],
    [{ labels: { matchLabels: { app: 'web' } } }, 'app=web', undefined],
    [
      {
        labels: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['y', 'x'] },
            { key: 'b', operator: 'NotIn', values: ['z'] },
            { key: 'c', operator: 'Exists' },
            { key: 'd', operator: 'DoesNotExist', values: [] },
          ],
          matchLabels: { app: 'web' },
        },
      },
      '!d,a in (x,y),app=web,b!=z,c',
      undefined,
    ],
    [{ fields: 'status.phase!=Failed,metadata.name==web' }, undefined, 'metadata.name=web,status.phase!=Failed'],
    [{ fields: { 'spec.nodeName': 'a', 'metadata.name': '' } }, undefined, 'metadata.name=,spec.nodeName=a'],
    [{ fields: { 'spec.text': 'a,b=c\\d' } }, undefined, 'spec.text=a\\,b\\=c\\\\d'],
    [{ fields: 'spec.text=a\\,b\\=c\\\\d' }, undefined, 'spec.text=a\\,b\\=c\\\\d'],
    [{ labels: 'a', fields: 'b=c' }, 'a', 'b=c'],
  ])('should read %j', (selection, labels, fields) => {
    const selector = ObjectSelector.parse(selection);
    expect([selector.labelSelector, selector.fieldSelector]).toEqual([labels, fields]);
  });

  it.each<[unknown, string]>([
    [null, 'it is not an object'],
    ['app=web', 'it is not an object'],
    [[], 'it is not an object'],
    [{}, 'it has neither labels nor fields'],
    [{ label: 'a' }, 'no label'],
    [{ labels: '' }, 'the label selector is empty'],
    [{ labels: {} }, 'the label selector is empty'],
    [{ labels: 1 }, 'neither a text nor an object'],
    [{ labels: 'a=b=c' }, '"b=c" is not the value of a label'],
    [{ labels: 'a,' }, '"" is not a requirement on a label'],
    [{ labels: 'a b' }, '"a b" is not a requirement'],
    [{ labels: 'a in x' }, '"a in x" is not a requirement'],
    [{ labels: '-a' }, '"-a" is not a requirement'],
    [{ labels: 'a>b' }, '"b" is not a whole number'],
    [{ labels: `a=${'x'.repeat(64)}` }, 'is not the value of a label'],
    [{ labels: { app: 'web' } }, 'a label selector has no app'],
    [{ labels: { matchLabels: { 'a b': 'web' } } }, '"a b" is not the name of a label'],
    [{ labels: { matchLabels: { a: 1 } } }, '1 is not the value of a label'],
    [{ labels: { matchLabels: ['a'] } }, 'matchLabels is not an object'],
    [{ labels: { matchExpressions: {} } }, 'matchExpressions is not a list'],
    [{ labels: { matchExpressions: [{ key: 'a', operator: 'Equals' }] } }, '"Equals" is none of In, NotIn'],
    [{ labels: { matchExpressions: [{ key: 'a', operator: 'In' }] } }, 'In needs at least one value'],
    [{ labels: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }, 'Exists needs no values'],
    [{ fields: '' }, 'the field selector is empty'],
    [{ fields: [] }, 'neither a text nor an object'],
    [{ fields: 'metadata.name' }, '"metadata.name" is not a requirement on a field'],
    [{ fields: 'a=b\\x' }, 'is not a requirement on a field'],
    [{ fields: { 'spec.replicas': 3 } }, 'the value of spec.replicas is not a string'],
    [{ fields: { "metadata.labels['a']": 'b' } }, 'is not a path such as "status.phase"'],
    [{ fields: { '.spec': 'b' } }, 'is not a path'],
  ])('should refuse %j', (selection, expected) => {
    expect(() => ObjectSelector.parse(selection)).toThrow(expected);
  });

  it.each<[object, KubeObject, boolean]>([
    [{ labels: 'a' }, object({ a: '' }), true],
    [{ labels: 'a' }, object(undefined), false],
    [{ labels: '!a' }, object(undefined), true],
    [{ labels: '!a' }, object({ a: 'x' }), false],
    [{ labels: 'a=x' }, object({ a: 'x' }), true],
    [{ labels: 'a!=x' }, object({ a: 'x' }), false],
    [{ labels: 'a!=x' }, object({}), true],
    [{ labels: 'a in (x,y)' }, object({ a: 'y' }), true],
    [{ labels: 'a in (x,y)' }, object({ a: 'z' }), false],
    [{ labels: 'a notin (x,y)' }, object({ a: 'y' }), false],
    [{ labels: 'a notin (x,y)' }, object({}), true],
    [{ labels: 'a>5' }, object({ a: '10' }), true],
    [{ labels: 'a>5' }, object({ a: '5' }), false],
    [{ labels: 'a>5' }, object({ a: 'x' }), false],
    [{ labels: 'a<5' }, object({}), false],
    [{ labels: 'toString' }, object({}), false],
    [{ labels: 'a,b' }, object({ a: 'x' }), false],
    [{ fields: 'metadata.name=web' }, object(undefined), true],
    [{ fields: 'metadata.name!=web' }, object(undefined), false],
    [{ fields: 'status.phase=Running' }, object(undefined, { status: { phase: 'Running' } }), true],
    [{ fields: 'status.phase=' }, object(undefined), true],
    [{ fields: 'spec.replicas=3' }, object(undefined, { spec: { replicas: 3 } }), true],
    [{ fields: 'spec.paused=false' }, object(undefined, { spec: { paused: false } }), true],
    [{ labels: 'a', fields: 'metadata.name=web' }, object({ b: '' }), false],
  ])('should tell for %j whether %j is meant: %j', (selection, body, expected) => {
    expect(ObjectSelector.parse(selection).check(body)).toBe(expected);
  });

  it('should find what selectors have in common, and what they require beyond that', () => {
    const [one, other] = [
      ObjectSelector.parse({ labels: 'app=web,tier in (a,b)', fields: 'metadata.namespace=ns' }),
      ObjectSelector.parse({ labels: { matchLabels: { app: 'web' } }, fields: 'status.phase=Running' }),
    ];
    const common = ObjectSelector.common([one, other])!;
    expect([common.labelSelector, common.fieldSelector]).toEqual(['app=web', undefined]);
    const beyond = one.beyond(common);
    expect([beyond?.labelSelector, beyond?.fieldSelector]).toEqual(['tier in (a,b)', 'metadata.namespace=ns']);
    expect(one.beyond(one)).toBeUndefined();
    expect(ObjectSelector.common([one, undefined])).toBeUndefined();
    expect(ObjectSelector.common([])).toBeUndefined();
    expect(ObjectSelector.common([ObjectSelector.parse({ labels: 'a' }), other])).toBeUndefined();
  });
});
