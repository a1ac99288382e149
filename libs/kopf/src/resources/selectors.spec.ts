import type { Resource } from './resources.js';
import { EVERYTHING, type ResourceCriteria } from './resource-criteria.js';
import { parseSelector } from './selectors.js';
import { KOPF_RESOURCE } from './object-class.js';

class Declared {
  static readonly [KOPF_RESOURCE] = { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' };
}
class Derived extends Declared {}
class Undeclared {}
const predicate = (resource: Resource): boolean => resource.namespaced;

describe('parseSelector', () => {
  it.each<[unknown[], ResourceCriteria, string]>([
    [['pods'], { anyName: 'pods' }, 'pods'],
    [['deployments.apps'], { group: 'apps', anyName: 'deployments' }, 'deployments.apps'],
    [['a.example.com'], { group: 'example.com', anyName: 'a' }, 'a.example.com'],
    [['pods.v1'], { version: 'v1', anyName: 'pods' }, 'pods.v1'],
    [['deployments.v1.apps'], { group: 'apps', version: 'v1', anyName: 'deployments' }, 'deployments.v1.apps'],
    [['a.v1alpha1.x.io'], { group: 'x.io', version: 'v1alpha1', anyName: 'a' }, 'a.v1alpha1.x.io'],
    [['a.v1x.io'], { group: 'v1x.io', anyName: 'a' }, 'a.v1x.io'],
    [
      ['kopf.dev/v1', 'kopfexamples'],
      { group: 'kopf.dev', version: 'v1', anyName: 'kopfexamples' },
      'kopfexamples.v1.kopf.dev',
    ],
    [
      ['kopf.dev', 'v1', 'kopfexamples'],
      { group: 'kopf.dev', version: 'v1', anyName: 'kopfexamples' },
      'kopfexamples.v1.kopf.dev',
    ],
    [['kopf.dev', 'kopfexamples'], { group: 'kopf.dev', anyName: 'kopfexamples' }, 'kopfexamples.kopf.dev'],
    [['v1', 'pods'], { group: '', version: 'v1', anyName: 'pods' }, 'pods.v1'],
    [['', 'v1', 'pods'], { group: '', version: 'v1', anyName: 'pods' }, 'pods.v1'],
    [
      ['kopf.dev', 'v1', EVERYTHING],
      { group: 'kopf.dev', version: 'v1', anyName: EVERYTHING },
      'EVERYTHING group=kopf.dev version=v1',
    ],
    [['kopf.dev', EVERYTHING], { group: 'kopf.dev', anyName: EVERYTHING }, 'EVERYTHING group=kopf.dev'],
    [[EVERYTHING], { anyName: EVERYTHING }, 'EVERYTHING'],
    [[{ category: 'all' }], { category: 'all' }, 'category=all'],
    [[{ group: '', kind: 'Pod' }], { group: '', kind: 'Pod' }, "kind=Pod group=''"],
    [
      [{ group: 'apps', version: 'v1', plural: 'deployments' }],
      { group: 'apps', version: 'v1', plural: 'deployments' },
      'deployments.v1.apps',
    ],
    [[{ group: '', plural: 'pods' }], { group: '', plural: 'pods' }, "plural=pods group=''"],
    [[{ singular: 'pod', kind: undefined }], { singular: 'pod' }, 'singular=pod'],
    [[{ shortcut: 'po' }], { shortcut: 'po' }, 'shortcut=po'],
    [[predicate], { predicate }, 'predicate'],
    [[Declared], { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' }, 'kopfexamples.v1.kopf.dev'],
    [[Derived], { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' }, 'kopfexamples.v1.kopf.dev'],
  ])('should understand %j', (args, criteria, text) => {
    const selector = parseSelector(args);
    expect(selector.criteria).toEqual(criteria);
    expect(String(selector)).toBe(text);
  });

  it('should name a predicate without a name', () => {
    expect(String(parseSelector([(): boolean => true]))).toBe('predicate');
  });

  it.each<[unknown[], RegExp]>([
    [[], /Got nothing/],
    [['kopf.dev/v1'], /needs a name after its group and version/],
    [[''], /cannot be empty/],
    [['.apps'], /cannot be empty/],
    [['kopf.dev', 'v1', ''], /cannot be empty/],
    [[{ kind: '' }], /cannot be empty/],
    [['a', 'b', 'c', 'd'], /"a", "b", "c", "d"/],
    [[EVERYTHING, 'pods'], /Symbol\(nestjs-kopf\.EVERYTHING\), "pods"/],
    [['kopf.dev', predicate], /"kopf.dev", function predicate/],
    [['kopf.dev', 1, 'x'], /all of them strings/],
    [[{ group: 'apps' }], /needs a name or a category/],
    [[{ kind: 'Pod', plural: 'pods' }], /only one name/],
    [[{ kinds: 'Pod' }], /has no kinds/],
    [[{ kind: 1 }], /kind must be a string/],
    [[['pods']], /not a resource/],
    [[null], /not a resource: null/],
    [[undefined], /not a resource: undefined/],
    [[Undeclared], /class Undeclared does not declare/],
  ])('should refuse %j', (args, message) => {
    expect(() => parseSelector(args)).toThrow(TypeError);
    expect(() => parseSelector(args)).toThrow(message);
  });
});
