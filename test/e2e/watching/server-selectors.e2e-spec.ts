import {
  Daemon,
  EVERYTHING,
  KopfOperator,
  OnCreate,
  OnDelete,
  OnEvent,
  OnStartup,
  StopReason,
  type ActivityContext,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type KubeRequest,
} from 'nestjs-kopf';
import { readManifests } from '../../support/clusters/manifests.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

const FINALIZER = 'kopf.zalando.org/KopfFinalizerMarker';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MIDDLE = '0x8000000000000000';
const LOW = `shardRange(object.metadata.uid, '0x0000000000000000', '${MIDDLE}')`;
const HIGH = `shardRange(object.metadata.uid, '${MIDDLE}', '0x10000000000000000')`;
const labelled = (labels: object): object => ({ metadata: { labels } });

describe('objects selected by the settings', () => {
  let harness: OperatorHarness;
  let calls: string[];
  let requests: URL[];

  beforeEach(async () => {
    harness = await OperatorHarness.start({ kube: { featureGates: { ShardedListAndWatch: true } } });
    calls = [];
    requests = [];
  });

  const intercept = ({ path }: KubeRequest): undefined => void requests.push(new URL(path, 'http://embedded'));
  const take = (): string[] => calls.splice(0).sort();

  /** Lists the distinct values of a parameter in all lists and watches of a resource. */
  function sent(path: string, parameter: string): (string | null)[] {
    const meant = requests.filter(({ pathname }) => pathname === path);
    expect(meant.some(({ searchParams }) => searchParams.has('watch'))).toBe(true);
    expect(meant.some(({ searchParams }) => !searchParams.has('watch'))).toBe(true);
    return [...new Set(meant.map(({ searchParams }) => searchParams.get(parameter)))];
  }

  function operatorOf(name: string, selector?: { labels: string }) {
    class Operator {
      @OnCreate(...KEX, { selector })
      create(context: ChangeContext) {
        calls.push(`${name}: create ${context.name}`);
      }

      @OnDelete(...KEX, { selector })
      delete(context: ChangeContext) {
        calls.push(`${name}: delete ${context.name}`);
      }

      @OnEvent(...KEX, { selector })
      event(context: EventContext) {
        if (context.type === 'DELETED') calls.push(`${name}: DELETED ${context.name}`);
      }
    }
    return Operator;
  }

  it('should be passed through for all resources, namespaces and definitions, too, in lists and watches', async () => {
    const watching = {
      labelSelectors: [
        ['ns', 'team'],
        ['namespaces', 'env in (a, b)'],
        [EVERYTHING, '!ignored'],
      ] as const,
      fieldSelectors: { kex: 'metadata.name!=b', crds: 'metadata.name!=c' },
      shardSelectors: new Map([['*.kopf.dev', LOW]]),
    };
    await harness.run(operatorOf('one'), { watching, namespaces: ['n*'], intercept });
    await harness.advance(1);
    expect(sent('/api/v1/namespaces', 'labelSelector')).toEqual(['!ignored,env in (a, b),team']);
    expect(sent('/api/v1/namespaces', 'shardSelector')).toEqual([null]);
    expect(sent(DEFINITIONS, 'labelSelector')).toEqual(['!ignored']);
    expect(sent(DEFINITIONS, 'fieldSelector')).toEqual(['metadata.name!=c']);
  });

  it('should be joined with those of handlers', async () => {
    const watching = {
      labelSelectors: [[KEX, 'tier in (a,b)']] as const,
      shardSelectors: { kex: `${LOW} || ${HIGH}` },
    };
    await harness.run(operatorOf('one', { labels: 'app=web' }), { watching, intercept });
    await harness.create('a', labelled({ app: 'web', tier: 'a' }));
    await harness.create('b', labelled({ app: 'web' }));
    await harness.create('c', labelled({ tier: 'a' }));
    await harness.advance(1);
    expect(take()).toEqual(['one: create a']);
    const objects = '/apis/kopf.dev/v1/kopfexamples';
    expect(sent(objects, 'labelSelector')).toEqual(expect.arrayContaining(['app=web,tier in (a,b)']));
    expect(sent(objects, 'shardSelector')).toEqual([`${LOW} || ${HIGH}`]);
  });

  it('should be gone for the operator when the settings exclude them, and released when only handlers do', async () => {
    class Waiting extends operatorOf('one', { labels: 'app' }) {
      @Daemon(...KEX, { selector: { labels: 'app' } })
      async wait({ name, stopped }: DaemonContext) {
        await stopped.wait();
        if (stopped.reason & StopReason.RESOURCE_DELETED) calls.push(`one: stop ${name}`);
      }
    }
    await harness.run(Waiting, { watching: { labelSelectors: { kex: 'shard=one' } } });
    await harness.create('a', labelled({ app: '', shard: 'one' }));
    await harness.create('b', labelled({ app: '', shard: 'one' }));
    await harness.advance(1);
    expect(take()).toEqual(['one: create a', 'one: create b']);
    await harness.patch('a', labelled({ app: null }));
    await harness.patch('b', labelled({ shard: 'two' }));
    await harness.advance(5);
    expect(take()).toEqual(['one: DELETED b', 'one: stop b']);
    expect((await harness.object('a')).metadata.finalizers).toBeUndefined();
    // Another operator may have it now.
    expect((await harness.object('b')).metadata.finalizers).toEqual([FINALIZER]);
    expect(harness.get(KopfOperator).objects).toBe(0);
  });

  it('should be left alone by a search for objects that handlers do not select any more', async () => {
    const metadata = { labels: { shard: 'two' }, finalizers: [FINALIZER] };
    await harness.create('other', { metadata });
    await harness.create('own', { metadata: { ...metadata, labels: { shard: 'one' } } });
    await harness.run(operatorOf('one', { labels: 'app' }), { watching: { labelSelectors: { kex: 'shard=one' } } });
    await harness.advance(5);
    expect((await harness.object('other')).metadata.finalizers).toEqual([FINALIZER]);
    expect((await harness.object('own')).metadata.finalizers).toBeUndefined();
  });

  it('should be as startup handlers set them', async () => {
    class Configuring extends operatorOf('one') {
      @OnStartup()
      configure({ settings }: ActivityContext) {
        settings.watching.labelSelectors = { kex: 'app=web' };
      }
    }
    await harness.run(Configuring);
    await harness.create('a', labelled({ app: 'web' }));
    await harness.create('b');
    await harness.advance(1);
    expect(take()).toEqual(['one: create a']);
  });

  it('should be shared by two operators of the same priority in a peering, each object by one of them', async () => {
    for (const manifest of readManifests('peering.yaml')) await harness.send('POST', DEFINITIONS, manifest);
    const peering = { apiVersion: 'kopf.dev/v1', kind: 'ClusterKopfPeering', metadata: { name: 'default' } };
    await harness.send('POST', '/apis/kopf.dev/v1/clusterkopfpeerings', peering);
    const options = (identity: string, shard: string) => ({
      watching: { shardSelectors: [[EVERYTHING, shard]] as const },
      peering: { identity },
    });
    const one = await harness.run(operatorOf('one'), options('one', LOW));
    const two = await harness.run(operatorOf('two'), options('two', HIGH));
    for (let index = 0; index < 20; index += 1) await harness.create(`o${index}`);
    await harness.advance(70);
    expect([one.state, two.state]).toEqual(['running', 'running']);
    expect(harness.logger.messages('warn')).toEqual([]);
    const created = take();
    expect(new Set(created.map((call) => call.split(' ').at(-1))).size).toBe(20);
    expect(created).toHaveLength(20);
    expect(new Set(created.map((call) => call.split(':')[0]))).toEqual(new Set(['one', 'two']));
    const rival = await harness.run(operatorOf('three'), { peering: { identity: 'three', priority: 1 } });
    await harness.advance(10);
    expect([one.state, two.state, rival.state]).toEqual(['paused', 'paused', 'running']);
  });
});
