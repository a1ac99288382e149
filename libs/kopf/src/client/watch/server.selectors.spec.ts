import { makeResource } from '../../../../../test/support/objects/resources.js';
import { EVERYTHING } from '../../resources/resource-criteria.js';
import { WatchingSettings } from '../../settings/client.settings.js';
import { joinSelectors, selectOnServer } from './server.selectors.js';

const RESOURCE = makeResource();
const select = (settings: Partial<WatchingSettings>, ...others: object[]) =>
  selectOnServer(Object.assign(new WatchingSettings(), settings), RESOURCE, ...others);

describe('selectOnServer', () => {
  it('should select nothing by default', () => {
    expect(select({})).toEqual({});
    expect(select({ labelSelectors: { pods: 'app=web' } })).toEqual({});
  });

  it('should join several selectors, sorted and without duplicates, but take the first shard selector', () => {
    const by = (...texts: string[]) => texts.map((text) => [EVERYTHING, text] as const);
    const settings = {
      labelSelectors: by('tier=a', 'app in (a,b)', 'tier=a'),
      fieldSelectors: by('spec.x=1', 'metadata.name!=a'),
      shardSelectors: by('second()', 'first()'),
    };
    expect(select(settings)).toEqual({
      labelSelector: 'app in (a,b),tier=a',
      fieldSelector: 'metadata.name!=a,spec.x=1',
      shardSelector: 'second()',
    });
  });

  it('should join them with those of handlers', () => {
    const handlers = { labelSelector: 'app=web', fieldSelector: undefined };
    expect(select({}, handlers)).toEqual({ labelSelector: 'app=web' });
    expect(select({ labelSelectors: { kopfexamples: 'tier' } }, handlers)).toEqual({ labelSelector: 'app=web,tier' });
    expect(select({ labelSelectors: { kopfexamples: 'app=web' } }, handlers)).toEqual({ labelSelector: 'app=web' });
  });
});

describe('joinSelectors', () => {
  it.each([
    [[], undefined],
    [[undefined, ''], undefined],
    [['b', undefined, 'a', 'b'], 'a,b'],
  ])('should join %j', (selectors, expected) => {
    expect(joinSelectors(...selectors)).toBe(expected);
  });
});
