import { makeResource } from '../../../../test/support/objects/resources.js';
import { KOPF_RESOURCE } from './object-class.js';
import { EVERYTHING } from './resource-criteria.js';
import {
  collectSelectors,
  hasSelectors,
  parseSelectorsByResource,
  type SelectorKey,
  type SelectorsByResource,
} from './selectors-by-resource.js';

class Declared {
  static readonly [KOPF_RESOURCE] = { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' };
}

const RESOURCE = makeResource({ shortNames: ['kex'], categories: ['all'] });
const OTHER = makeResource({ group: 'apps', plural: 'deployments', kind: 'Deployment', singular: 'deployment' });

describe('collectSelectors', () => {
  it.each<[SelectorKey]>([
    ['kopfexamples'],
    ['KopfExample'],
    ['kex'],
    ['kopfexamples.kopf.dev'],
    ['kopfexamples.v1.kopf.dev'],
    ['*.kopf.dev'],
    [['kopf.dev', 'kopfexamples']],
    [['kopf.dev/v1', 'kopfexamples']],
    [['kopf.dev', 'v1', 'kopfexamples']],
    [['kopf.dev', 'v1', '*']],
    [{ category: 'all' }],
    [{ group: 'kopf.dev', kind: 'KopfExample' }],
    [({ group }) => group === 'kopf.dev'],
    [Declared],
  ])('should know the resource by %j', (key) => {
    const forms: SelectorsByResource[] = [[[key, 'app=web']], new Map([[key, 'app=web']])];
    for (const texts of forms) {
      expect(collectSelectors(texts, RESOURCE)).toEqual(['app=web']);
      expect(collectSelectors(texts, OTHER)).toEqual([]);
    }
  });

  it('should take names as keys of an object', () => {
    const texts = { pods: 'no', 'kopfexamples.kopf.dev': 'app=web', '*.kopf.dev': 'tier=a' };
    expect(collectSelectors(texts, RESOURCE)).toEqual(['app=web', 'tier=a']);
  });

  it('should keep the order, and leave out what is empty', () => {
    const texts: SelectorsByResource = [
      [EVERYTHING, 'b'],
      ['kex', ''],
      ['pods', 'c'],
      ['kex', 'a'],
    ];
    expect(collectSelectors(texts, RESOURCE)).toEqual(['b', 'a']);
  });
});

describe('hasSelectors', () => {
  it.each<[SelectorsByResource, boolean]>([
    [[], false],
    [{}, false],
    [new Map(), false],
    [{ pods: '' }, false],
    [{ pods: 'x' }, true],
  ])('should find in %j any text: %s', (texts, expected) => {
    expect(hasSelectors(texts)).toBe(expected);
  });
});

describe('parseSelectorsByResource', () => {
  it.each<[unknown, string]>([
    ['pods', 'it is neither an object, nor a Map, nor a list of pairs'],
    [null, 'it is neither an object, nor a Map, nor a list of pairs'],
    [['pods'], 'each item of the list must be a pair'],
    [[['pods', 'a', 'b']], 'each item of the list must be a pair'],
    [{ pods: 5 }, 'the selector for pods must be a string'],
    [{ '': 'x' }, "A resource's name cannot be empty"],
    [{ 'kopf.dev/kopfexamples': 'x' }, 'A resource needs a name after its group and version'],
    [[[{ colour: 'red' }, 'x']], 'A resource has no colour'],
    [[[5, 'x']], 'This is not a resource: 5'],
  ])('should reject %j', (texts, message) => {
    expect(() => parseSelectorsByResource(texts)).toThrow(message);
  });
});
