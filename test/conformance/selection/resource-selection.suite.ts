import { EVERYTHING, KopfWatcher, OnCreate, OnEvent, type KopfModuleOptions, type Resource } from 'nestjs-kopf';
import { KOPF_RESOURCE } from 'nestjs-kopf/decorators';
import { DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import type { TestCluster } from '../test.cluster.js';

interface Definition {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly versions?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const DEFINED: readonly Definition[] = [
  {
    group: 'kopf.dev',
    plural: 'kopfexamples',
    kind: 'KopfExample',
    versions: ['v1', 'v1beta1'],
    shortNames: ['kex'],
    categories: ['all'],
  },
  { group: 'other.dev', plural: 'pods', kind: 'Pod', shortNames: ['po'] },
  { group: 'a.dev', plural: 'twins', kind: 'Twin' },
  { group: 'b.dev', plural: 'twins', kind: 'Twin' },
];

const LATER: Definition = { group: 'kopf.dev', plural: 'laters', kind: 'Later' };

class KopfExample {
  static readonly [KOPF_RESOURCE] = { group: 'kopf.dev', version: 'v1', plural: 'kopfexamples' };
}

const EXAMPLES = 'kopfexamples.v1.kopf.dev';
const BETA = 'kopfexamples.v1beta1.kopf.dev';
const PODS = 'pods.v1';
const DEPLOYMENTS = 'deployments.v1.apps';

/** Objects that are written, and what is served then: exactly, or among others. */
const FORMS: [args: unknown[], exactly: string[]][] = [
  [['kopfexamples.kopf.dev'], [EXAMPLES]],
  [['kopfexamples.v1.kopf.dev'], [EXAMPLES]],
  [['kopfexamples.v1beta1.kopf.dev'], [BETA]],
  [['kopf.dev/v1', 'kopfexamples'], [EXAMPLES]],
  [['kopf.dev/v1beta1', 'kopfexamples'], [BETA]],
  [['kopf.dev', 'v1', 'kopfexamples'], [EXAMPLES]],
  [['kopf.dev', 'v1beta1', 'kex'], [BETA]],
  [['kopf.dev', 'kopfexamples'], [EXAMPLES]],
  [['kopf.dev', 'KopfExample'], [EXAMPLES]],
  [['kopfexamples'], [EXAMPLES]],
  [['kopfexample'], [EXAMPLES]],
  [['KopfExample'], [EXAMPLES]],
  [['kex'], [EXAMPLES]],
  [[{ kind: 'KopfExample' }], [EXAMPLES]],
  [[{ plural: 'kopfexamples', group: 'kopf.dev' }], [EXAMPLES]],
  [[{ plural: 'kopfexamples', group: 'kopf.dev', version: 'v1beta1' }], [BETA]],
  [[{ singular: 'kopfexample' }], [EXAMPLES]],
  [[{ shortcut: 'kex' }], [EXAMPLES]],
  [[KopfExample], [EXAMPLES]],
  [['pods'], [PODS]],
  [['pod'], [PODS]],
  [['Pod'], [PODS]],
  [['po'], [PODS]],
  [['pods.v1'], [PODS]],
  [['v1', 'pods'], [PODS]],
  [['', 'v1', 'pods'], [PODS]],
  [[{ group: '', kind: 'Pod' }], [PODS]],
  [['pods.other.dev'], ['pods.v1.other.dev']],
  [['other.dev', 'Pod'], ['pods.v1.other.dev']],
  [['deployments'], [DEPLOYMENTS]],
  [['deploy'], [DEPLOYMENTS]],
  [['deployments.apps'], [DEPLOYMENTS]],
  [['deployments.v1.apps'], [DEPLOYMENTS]],
  [['apps/v1', 'deployments'], [DEPLOYMENTS]],
  [['twins.a.dev'], ['twins.v1.a.dev']],
  [['v1', 'events'], ['events.v1']],
  [['namespaces'], ['namespaces.v1']],
  [['kopf.dev', EVERYTHING], [EXAMPLES]],
  [['kopf.dev', 'v1beta1', EVERYTHING], [BETA]],
  [
    [({ group, namespaced }: Resource) => group.endsWith('.dev') && namespaced],
    [EXAMPLES, BETA, 'pods.v1.other.dev', 'twins.v1.a.dev', 'twins.v1.b.dev'],
  ],
];

const SETS: [args: unknown[], among: string[], not: string[]][] = [
  [
    [{ category: 'all' }],
    [EXAMPLES, PODS, DEPLOYMENTS, 'services.v1', 'jobs.v1.batch'],
    ['configmaps.v1', 'secrets.v1', BETA, 'pods.v1.other.dev'],
  ],
  [
    [EVERYTHING],
    [EXAMPLES, PODS, DEPLOYMENTS, 'configmaps.v1', 'nodes.v1', 'pods.v1.other.dev', 'twins.v1.a.dev', 'twins.v1.b.dev'],
    [BETA, 'events.v1', 'events.v1.events.k8s.io', 'bindings.v1', 'componentstatuses.v1'],
  ],
];

const UNSERVED: [args: unknown[], warning: RegExp][] = [
  [['nothings.kopf.dev'], /nothings\.kopf\.dev is not served: the cluster has no such resource/],
  [['kopfexamples.v2.kopf.dev'], /the cluster has no such resource/],
  [['kopfexamples.other.dev'], /the cluster has no such resource/],
  [['twins'], /twins is not served: it can be any of twins\.v1\.a\.dev, twins\.v1\.b\.dev/],
  [[{ kind: 'Twin' }], /can be any of twins\.v1\.a\.dev, twins\.v1\.b\.dev/],
  [['componentstatuses'], /componentstatuses\.v1 is not served: it does not support watch/],
  [['bindings'], /bindings\.v1 is not served: it does not support list, watch/],
];

const NAMES = ['myapp-live', 'myapp-pr-123', 'myapp-pr-456', 'otherapp-live', 'otherapp-pr-123', 'team-a', 'team-ab'];
const LATER_NAMES = ['myapp-new', 'myapp-pr-789', 'team-b'];

/** Patterns, and the namespaces that are served: of those that there are, and of those that come later. */
const PATTERNS: [patterns: KopfModuleOptions['namespaces'], served: string[], later: string[]][] = [
  ['myapp-live', ['myapp-live'], []],
  [['myapp-live', 'team-b'], ['myapp-live', 'team-b'], ['team-b']],
  ['myapp-*', ['myapp-live', 'myapp-pr-123', 'myapp-pr-456'], ['myapp-new', 'myapp-pr-789']],
  ['*-pr-*', ['myapp-pr-123', 'myapp-pr-456', 'otherapp-pr-123'], ['myapp-pr-789']],
  ['myapp-pr-?5?', ['myapp-pr-456'], []],
  ['team-[ab]', ['team-a'], ['team-b']],
  ['!*-pr-*', ['myapp-live', 'otherapp-live', 'team-a', 'team-ab'], ['myapp-new', 'team-b']],
  ['myapp-*, !*-pr-*', ['myapp-live'], ['myapp-new']],
  ['myapp-*, !*-pr-*, *-pr-123', ['myapp-live', 'myapp-pr-123'], ['myapp-new']],
  [
    '!*-pr-*, *-pr-123',
    ['myapp-live', 'myapp-pr-123', 'otherapp-live', 'otherapp-pr-123', 'team-a', 'team-ab'],
    ['myapp-new', 'team-b'],
  ],
  [/team-[ab]/, ['team-a'], ['team-b']],
  [/.*-pr-\d+/, ['myapp-pr-123', 'myapp-pr-456', 'otherapp-pr-123'], ['myapp-pr-789']],
  [
    ['team-a', 'otherapp-*', /myapp-(new|live)/],
    ['myapp-live', 'otherapp-live', 'otherapp-pr-123', 'team-a'],
    ['myapp-new'],
  ],
];

/** Which resources and namespaces operators serve, by all the forms in which it can be said, on any cluster. */
export function describeResourceSelection(title: string, startCluster: () => Promise<TestCluster>): void {
  describe(title, () => {
    const running = new Set<LocalOperator>();
    let cluster: TestCluster;

    beforeAll(async () => {
      cluster = await startCluster();
      for (const each of DEFINED) await define(each);
      for (const name of NAMES) await cluster.user.create('/api/v1/namespaces', { metadata: { name } });
    }, 120_000);

    afterEach(async () => {
      await Promise.all([...running].map((operator) => operator.stop()));
      running.clear();
    });

    afterAll(() => cluster?.stop());

    async function define(definition: Definition): Promise<void> {
      const { group, versions = ['v1'], plural } = definition;
      await cluster.user.create(DEFINITIONS, toObject(definition));
      for (const version of versions) {
        const path = `/apis/${group}/${version}/${plural}`;
        await eventually(`${path} is served`, () => cluster.user.get(path).catch(() => undefined));
      }
    }

    async function start(handlers: new () => unknown, options: KopfModuleOptions = {}): Promise<LocalOperator> {
      const operator = await LocalOperator.start(handlers, { credentials: cluster.credentials, ...options });
      running.add(operator);
      await operator.ready();
      return operator;
    }

    const served = (operator: LocalOperator): string[] => [
      ...new Set(operator.get(KopfWatcher).states.map(({ resource }) => keyOf(resource))),
    ];

    const servedNamespaces = (operator: LocalOperator, names: readonly string[]): string[] =>
      operator
        .get(KopfWatcher)
        .states.map(({ namespace }) => namespace ?? 'all')
        .filter((name) => names.includes(name) || name === 'all')
        .sort();

    it.each(FORMS)('should serve what is meant by %j', async (args, expected) => {
      const operator = await start(makeSpy(args));
      expect(served(operator).sort()).toEqual(expected.toSorted());
      expect(operator.logger.messages('warn', 'error')).toEqual([]);
    });

    it.each(SETS)('should serve all that is in %j', async (args, among, not) => {
      const operator = await start(makeSpy(args));
      const found = served(operator);
      expect(found).toEqual(expect.arrayContaining(among));
      expect(found.filter((key) => not.includes(key))).toEqual([]);
      expect(operator.logger.messages('error')).toEqual([]);
    });

    it.each(UNSERVED)('should not serve, and say why: %j', async (args, warning) => {
      const operator = await start(makeSpy(args));
      expect(served(operator)).toEqual([]);
      expect(operator.logger.messages('warn')).toEqual([expect.stringMatching(warning) as string]);
    });

    it('should not serve what cannot be patched, if patches are needed', async () => {
      class Handlers {
        @OnCreate('componentstatuses')
        create() {}
      }
      const operator = await start(Handlers);
      expect(operator.logger.messages('warn')).toEqual([
        expect.stringMatching(/componentstatuses\.v1 is not served: it does not support watch, patch/) as string,
      ]);
    });

    it('should serve what is defined at run time, until it is not any longer', async () => {
      const operator = await start(makeSpy(['laters']));
      expect(served(operator)).toEqual([]);
      await define(LATER);
      await eventually('it is served', () => served(operator).includes('laters.v1.kopf.dev'));
      await cluster.user.delete(`${DEFINITIONS}/laters.kopf.dev`);
      await eventually('it is not served any longer', () => served(operator).length === 0);
      expect(operator.logger.messages('error')).toEqual([]);
    });

    it('should serve the namespaces that match, as they come and go', async () => {
      const names = [...NAMES, ...LATER_NAMES];
      const operators = await Promise.all(
        PATTERNS.map(([namespaces]) => start(makeSpy(['configmaps.v1']), { namespaces })),
      );
      const expectServed = (expected: (row: (typeof PATTERNS)[number]) => readonly string[]) =>
        PATTERNS.map((row, index) => {
          const found = servedNamespaces(operators[index], names);
          const wanted = [...new Set(expected(row))].sort();
          return found.join() === wanted.join() ? undefined : `${String(row[0])}: ${found.join()} for ${wanted.join()}`;
        }).filter((difference) => difference !== undefined);
      expect(expectServed(([, now]) => now)).toEqual([]);
      for (const name of LATER_NAMES) await cluster.user.create('/api/v1/namespaces', { metadata: { name } });
      await eventually(
        'the new ones are served',
        () => expectServed(([, now, later]) => [...now, ...later]).length === 0,
      );
      for (const name of LATER_NAMES) await cluster.user.delete(`/api/v1/namespaces/${name}`);
      await eventually('those that have gone are not', () => expectServed(([, now]) => now).length === 0, 60);
      for (const { logger } of operators) expect(logger.messages('warn', 'error')).toEqual([]);
    });

    it('should serve the whole cluster without patterns', async () => {
      const operator = await start(makeSpy(['configmaps.v1']));
      expect(servedNamespaces(operator, NAMES)).toEqual(['all']);
    });
  });
}

function makeSpy(args: readonly unknown[]) {
  class Spy {
    @OnEvent(...(args as Parameters<typeof OnEvent>))
    see() {}
  }
  return Spy;
}

function keyOf({ group, version, plural }: Resource): string {
  return group ? `${plural}.${version}.${group}` : `${plural}.${version}`;
}

function toObject({ group, plural, kind, versions = ['v1'], shortNames, categories }: Definition): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), shortNames, categories },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    },
  };
}
