import { KopfWatcher, OnEvent, type EventContext, type KopfModuleOptions } from 'nestjs-kopf';
import { KEX, OperatorHarness, type HarnessOptions } from '../../support/operators/operator.harness.js';

const NAMES = ['myapp-live', 'myapp-pr-123', 'myapp-pr-456', 'otherapp-live'];

function spy(seen: string[]) {
  class Spy {
    @OnEvent(...KEX)
    see({ namespace, type }: EventContext) {
      if (type !== 'DELETED') seen.push(namespace!);
    }
  }
  return Spy;
}

async function start(seen: string[], options: KopfModuleOptions, kube?: HarnessOptions['kube'], token?: string) {
  const harness = await OperatorHarness.start({ kube });
  for (const name of NAMES) {
    await harness.send('POST', '/api/v1/namespaces', { metadata: { name } });
    await harness.create('a', { metadata: { namespace: name } });
  }
  await harness.run(spy(seen), { ...options, token });
  return harness;
}

const create = async (harness: OperatorHarness, name: string): Promise<void> => {
  await harness.send('POST', '/api/v1/namespaces', { metadata: { name } });
  await harness.advance(1);
  await harness.create('a', { metadata: { namespace: name } });
  await harness.advance(1);
};

describe('Namespaces', () => {
  it.each<[string, KopfModuleOptions['namespaces'], string[]]>([
    ['the whole cluster', undefined, NAMES],
    ['one', 'myapp-live', ['myapp-live']],
    ['several', ['myapp-live', 'otherapp-live'], ['myapp-live', 'otherapp-live']],
    ['a glob', '*-pr-*', ['myapp-pr-123', 'myapp-pr-456']],
    ['a negation', '!*-pr-*', ['myapp-live', 'otherapp-live']],
    ['a pattern of several globs', 'myapp-*,!*-pr-*,*-pr-123', ['myapp-live', 'myapp-pr-123']],
    ['a regular expression', /myapp-pr-\d+/, ['myapp-pr-123', 'myapp-pr-456']],
    ['a glob and a name', ['otherapp-live', '*-pr-123'], ['myapp-pr-123', 'otherapp-live']],
  ])('should be served, and listed when the operator is ready: %s', async (_, namespaces, expected) => {
    const seen: string[] = [];
    await start(seen, { namespaces });
    expect(seen.filter((name) => NAMES.includes(name)).toSorted()).toEqual(expected);
  });

  it('should be served when they come, and not any longer when they have gone', async () => {
    const seen: string[] = [];
    const harness = await start(seen, { namespaces: '*-pr-*' });
    seen.length = 0;
    await create(harness, 'myapp-pr-789');
    await create(harness, 'myapp-test');
    expect(seen).toEqual(['myapp-pr-789']);
    const watched = () => harness.get(KopfWatcher).states.map(({ namespace }) => namespace);
    expect(watched()).toEqual(['myapp-pr-123', 'myapp-pr-456', 'myapp-pr-789']);
    await harness.send('DELETE', '/api/v1/namespaces/myapp-pr-789');
    await harness.advance(60);
    expect(watched()).toEqual(['myapp-pr-123', 'myapp-pr-456']);
  });

  it('should be served when they were deleted and made anew while nobody watched', async () => {
    const seen: string[] = [];
    const harness = await start(seen, { namespaces: '*-pr-*' });
    seen.length = 0;
    const fault = harness.kube.faults.reject(503, { resource: 'namespaces', verb: ['list', 'watch'], times: Infinity });
    expect(harness.kube.faults.damageWatches('cut', { resource: 'namespaces' })).toBe(1);
    await harness.send('DELETE', '/api/v1/namespaces/myapp-pr-123');
    await harness.advance(10);
    harness.kube.faults.expireHistory();
    await create(harness, 'myapp-pr-123');
    fault.cancel();
    await harness.advance(100);
    const watched = harness.get(KopfWatcher).states.map(({ namespace }) => namespace);
    expect(watched.toSorted()).toEqual(['myapp-pr-123', 'myapp-pr-456']);
    expect(seen).toEqual(['myapp-pr-123']);
  });

  it('should be served by their names without the permission to list them, and patterns not, with a warning', async () => {
    const seen: string[] = [];
    const harness = await start(
      seen,
      { namespaces: ['otherapp-live', 'later', '*-pr-*'] },
      {
        users: { limited: { name: 'limited', groups: [] } },
        authorizer: { authorize: ({ user, resource }) => user.name !== 'limited' || resource !== 'namespaces' },
      },
      'limited',
    );
    expect(seen).toEqual(['otherapp-live']);
    await create(harness, 'later');
    expect(seen).toEqual(['otherapp-live', 'later']);
    expect(harness.logger.messages('warn').join()).toMatch(/Not permitted to watch Namespace \(namespaces\)/);
  });

  it('should be looked up only once if the settings say so', async () => {
    const seen: string[] = [];
    const harness = await start(seen, { namespaces: '*-pr-*', scanning: { disabled: true } });
    expect(seen).toEqual(['myapp-pr-123', 'myapp-pr-456']);
    await create(harness, 'myapp-pr-789');
    expect(seen).toEqual(['myapp-pr-123', 'myapp-pr-456']);
  });

  it.each([false, true])(
    'should be waited for until the operator is ready, however slow their list is: disabled=%s',
    async (disabled) => {
      const seen: string[] = [];
      const harness = await OperatorHarness.start();
      await harness.create('a');
      await harness.run(spy(seen), {
        namespaces: 'n*',
        scanning: { disabled },
        intercept: ({ path }) =>
          path.startsWith('/api/v1/namespaces?')
            ? new Promise((resolve) => harness.clock.setTimer(() => resolve(undefined), 5000))
            : undefined,
      });
      expect(seen).toEqual(['ns']);
    },
  );

  it('should not matter for objects of the cluster', async () => {
    const seen: string[] = [];
    class Operator {
      @OnEvent('namespaces.v1', { when: ({ name }) => name.startsWith('myapp') })
      see({ name, namespace }: EventContext) {
        seen.push(`${name} ${namespace}`);
      }
    }
    const harness = await OperatorHarness.start();
    await harness.run(Operator, { namespaces: 'ns' });
    await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'myapp' } });
    await harness.advance(1);
    expect(seen).toEqual(['myapp undefined']);
  });
});
