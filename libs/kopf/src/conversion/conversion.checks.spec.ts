import type { ConversionHandler } from '../registry/handler.js';
import { createGraphs, findConversionViolations, type KnownVersions } from './conversion.checks.js';

const handler = (from: string, to: string, options: Partial<ConversionHandler> = {}): ConversionHandler => ({
  id: 'convert',
  title: '',
  source: `Widgets.${from}To${to}`,
  invoke: () => undefined,
  definition: 'widgets.example.com',
  group: 'example.com',
  declarations: [],
  retired: false,
  from,
  to,
  ...options,
});

const both = (one: string, other: string) => [handler(one, other), handler(other, one)];

const known = (storage: string, ...others: string[]): KnownVersions => {
  const versions = [storage, ...others].map((name) => ({ name, storage: name === storage }));
  return new Map([['widgets.example.com', { spec: { versions } } as any]]);
};

describe('ConversionGraph', () => {
  const graphOf = (handlers: readonly ConversionHandler[], versions: KnownVersions = new Map()) =>
    createGraphs(handlers, versions).get('widgets.example.com')!;
  const pathOf = (handlers: readonly ConversionHandler[], from: string, to: string) =>
    graphOf(handlers, known('v1', 'v2'))
      .pathOf(from, to)
      ?.map(({ source }) => source);

  it.each([
    ['nothing for the same version', both('v1', 'v2'), 'v1', 'v1', []],
    ['one method', both('v1', 'v2'), 'v2', 'v1', ['Widgets.v2Tov1']],
    ['the hub', [...both('v1a', 'v1'), ...both('v1b', 'v1')], 'v1a', 'v1b', ['Widgets.v1aTov1', 'Widgets.v1Tov1b']],
    [
      'the hub before others',
      [...both('a', 'x'), ...both('x', 'b'), ...both('a', 'v1'), ...both('v1', 'b')],
      'a',
      'b',
      ['Widgets.aTov1', 'Widgets.v1Tob'],
    ],
    ['a direct method', [...both('a', 'v1'), ...both('v1', 'b'), ...both('a', 'b')], 'a', 'b', ['Widgets.aTob']],
    ['a chain', [...both('a', 'b'), ...both('b', 'v1')], 'v1', 'a', ['Widgets.v1Tob', 'Widgets.bToa']],
    ['no way', both('a', 'b'), 'a', 'v1', undefined],
  ])('should go by %s', (_, handlers, from, to, expected) => {
    expect(pathOf(handlers, from, to)).toEqual(expected);
  });

  it('should take the version that most methods lead to as the hub, unless the storage version is known', () => {
    const handlers = [...both('a', 'b'), ...both('c', 'b')];
    expect(graphOf(handlers).hub).toBe('b');
    expect(graphOf(handlers, known('a', 'b', 'c')).hub).toBe('a');
  });
});

describe('findConversionViolations', () => {
  const find = (handlers: readonly ConversionHandler[], versions: KnownVersions = new Map()) =>
    findConversionViolations(createGraphs(handlers, versions).values(), versions);

  it('should find nothing if each version can be reached', () => {
    expect(find([...both('v1', 'v2'), ...both('v2', 'v3')], known('v2', 'v1', 'v3'))).toEqual([]);
  });

  it('should name both methods for the same conversion', () => {
    expect(find([...both('v1', 'v2'), handler('v1', 'v2', { source: 'Others.up' })])).toEqual([
      'Widgets.v1Tov2 and Others.up (@Convert): both convert widgets.example.com from v1 to v2; remove one of them',
    ]);
  });

  it('should name the option with an unknown version', () => {
    expect(find([...both('v1', 'v2'), ...both('v1', 'v3')], known('v1', 'v2'))).toEqual([
      expect.stringContaining(
        "Widgets.v1Tov3 (@Convert): option 'to': widgets.example.com has no version v3, but v1, v2;",
      ),
      expect.stringContaining("Widgets.v3Tov1 (@Convert): option 'from': widgets.example.com has no version v3"),
    ]);
  });

  it('should name a method without one for the other direction, unless its version is retired', () => {
    expect(find([handler('v1', 'v2')])).toEqual([
      "Widgets.v1Tov2 (@Convert): options 'from' and 'to': nothing converts widgets.example.com from v2 back to v1; " +
        "add a method with @Convert(…, { from: 'v2', to: 'v1' })",
    ]);
    expect(find([handler('v0', 'v2', { retired: true }), ...both('v1', 'v2')], known('v2', 'v1'))).toEqual([]);
  });

  it('should name versions that nothing leads to the hub from', () => {
    expect(find([...both('v1', 'v2'), ...both('v3', 'v4')], known('v1', 'v2', 'v3', 'v4', 'v5'))).toEqual([
      expect.stringContaining(
        'Widgets.v3Tov4 (@Convert): nothing leads from the version v3 of widgets.example.com to its hub v1',
      ),
      expect.stringContaining('Widgets.v3Tov4 (@Convert): nothing leads from the version v4 '),
      expect.stringContaining('Widgets.v1Tov2 (@Convert): nothing leads from the version v5 '),
    ]);
  });
});
