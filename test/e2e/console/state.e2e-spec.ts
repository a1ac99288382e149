import { OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { Needs, OnChild, OnEvent, OnReference, References } from 'nestjs-kopf';
import type { InspectedPermission, InspectedRelative } from '../../../libs/kopf-console/src/console.api.js';
import { ConsoleWorld, ShownOperator } from './console.world.js';

const authenticate = () => ({ user: 'alice' });

describe('What the console knows without anybody having looked', () => {
  it('should be the progress that an earlier process has left', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ShownOperator, { admission: { server: new StubAdmissionServer({}) } });
    await harness.create('failing', { spec: { fails: true } });
    await harness.create('calm');
    await harness.advance(5);
    harness.kill();
    const world = await ConsoleWorld.start({ harness });
    await harness.advance(5);
    expect(world.served.find(ShownOperator).calls.filter((call) => call.startsWith('create'))).toEqual([]);
    expect((await world.get('objects')).items).toMatchObject([
      { name: 'calm', phase: 'idle' },
      { name: 'failing', phase: 'failing', retries: 1, handlers: ['create'] },
    ]);
    expect((await world.get('now')).waiting).toMatchObject([{ name: 'failing', handler: 'create', purpose: 'create' }]);
  });

  it('should be right after handlers have succeeded, and when objects have gone', async () => {
    const world = await ConsoleWorld.start();
    await world.harness.create('a', { spec: { fails: true } });
    await world.harness.advance(5);
    expect((await world.get('overview')).counts).toMatchObject({ objects: 1, failing: 1 });
    await world.harness.patch('a', { spec: { fails: false } });
    await world.harness.advance(400);
    expect((await world.get('overview')).counts).toMatchObject({ objects: 1, failing: 0, waiting: 0 });
    await world.harness.delete('a');
    await world.harness.advance(5);
    expect((await world.get('objects')).total).toBe(0);
    expect(await world.ask('objects/kopfexamples.kopf.dev/ns/a')).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND', message: 'There is no object ns/a of kopfexamples.kopf.dev.' },
    });
  });

  it('should be what has failed for good, when, and that it is not retried', async () => {
    const world = await ConsoleWorld.start();
    await world.harness.create('a', { spec: { breaks: true } });
    const failedAt = world.harness.clock.now();
    await world.harness.advance(7200);
    expect((await world.get('objects')).items).toMatchObject([
      { name: 'a', phase: 'failed', handlers: ['create'], error: 'It cannot be.' },
    ]);
    expect((await world.get('overview')).counts).toMatchObject({ failing: 1, failed: 1, stuck: 0 });
    const { failing, totals } = await world.get('now');
    expect(totals).toMatchObject({ failing: 1, failed: 1, waiting: 0 });
    expect(failing).toMatchObject([{ kind: 'failed', handler: 'create', error: 'It cannot be.', count: 1 }]);
    expect(failing[0].lastAt - failedAt).toBeLessThan(1000);
    const { progress, findings, repeatable } = await world.get('objects/kopfexamples.kopf.dev/ns/a');
    expect(progress).toMatchObject([{ handler: 'create', state: 'failed', attempts: 1, failedAt: failing[0].lastAt }]);
    expect(findings).toMatchObject([
      {
        code: 'handler-failed',
        text: expect.stringMatching(/^The handler create has failed for good at .+, after 1 attempt: It cannot be\.$/),
        problem: true,
      },
      { code: 'not-retried' },
    ]);
    expect(repeatable).toEqual(['create']);
  });

  it('should be that a failure is over when the object was handled again', async () => {
    const world = await ConsoleWorld.start();
    await world.harness.create('a', { spec: { breaks: true } });
    await world.harness.advance(5);
    await world.harness.patch('a', { spec: { breaks: false } });
    await world.harness.advance(5);
    expect((await world.get('objects')).items).toMatchObject([{ name: 'a', phase: 'idle' }]);
    const { findings } = await world.get('objects/kopfexamples.kopf.dev/ns/a');
    expect(findings).toMatchObject([{ code: 'handled', text: expect.stringContaining('there is nothing to do') }]);
  });

  it('should not be that nothing is to do for an object that an earlier process has handled', async () => {
    const harness = await OperatorHarness.start();
    await harness.run(ShownOperator, { admission: { server: new StubAdmissionServer({}) } });
    await harness.create('a', { spec: { breaks: true } });
    await harness.advance(5);
    harness.kill();
    const world = await ConsoleWorld.start({ harness });
    await harness.advance(5);
    const { findings, repeatable } = await world.get('objects/kopfexamples.kopf.dev/ns/a');
    const text = expect.stringContaining('does not show whether a handler has failed for good') as string;
    expect([findings, repeatable]).toMatchObject([[{ code: 'handled', text }], []]);
  });

  it('should be which handler does not return, since when, and what waits behind it', async () => {
    const world = await ConsoleWorld.start({
      console: { actions: { allow: ['retry'], authenticate, authorize: () => true } },
    });
    await world.harness.create('a', { spec: { hangs: true } });
    await world.harness.advance(5);
    const path = 'objects/kopfexamples.kopf.dev/ns/a';
    const early = await world.get(path);
    const running = expect.stringMatching(/^The handler create has been running for \d+ s\.$/) as string;
    expect(early.findings).toEqual([{ code: 'handler-running', text: running, remedy: 'It has to return.' }]);
    await world.harness.patch('a', { spec: { size: 2 } });
    await world.harness.advance(250);
    const { inWork, failing, totals } = await world.get('now');
    const behind = { events: 1, handlers: [] };
    expect(inWork).toMatchObject([{ name: 'a', handler: 'create', attempt: 1, isStuck: true, behind }]);
    expect(failing).toMatchObject([{ kind: 'stuck', handler: 'create', count: 1 }]);
    expect(totals).toMatchObject({ inWork: 1, stuck: 1, failing: 1 });
    expect((await world.get('objects?stuck=true')).items).toMatchObject([{ name: 'a', phase: 'stuck' }]);
    const { findings, object } = await world.get(path);
    expect(findings).toEqual([
      {
        code: 'handler-stuck',
        text: expect.stringMatching(
          /^The handler create has been running for \d min; nothing else is done for this object until it returns: 1 change of it waits\.$/,
        ),
        problem: true,
        remedy: 'It has to return: give it a timeout; if it never returns, restart the operator.',
      },
    ]);
    expect(await world.post('retry', { object, handler: 'create' }, { 'x-user': 'alice' })).toMatchObject({
      status: 409,
      body: { message: 'The handler create is being called: wait until it returns.' },
    });
    world.served.find(ShownOperator).go();
    await world.harness.advance(5);
    expect((await world.get('objects')).items).toMatchObject([{ phase: 'idle' }]);
  });

  it('should be that the operator pauses, and not that objects are stuck', async () => {
    const world = await ConsoleWorld.start();
    await world.harness.create('a', { spec: { fails: true } });
    await world.harness.advance(5);
    world.operator.pause('For a test.');
    await world.harness.advance(600);
    expect(await world.get('objects')).toMatchObject({ items: [{ name: 'a', phase: 'failing' }] });
    expect(await world.get('objects?stuck=true')).toMatchObject({ total: 0 });
    expect((await world.get('overview')).paused).toEqual([expect.stringContaining('For a test.')]);
    // For nothing but the indices that reviews read.
    expect((await world.get('watches')).map(({ state }: any) => state)).toEqual(['watching']);
    const { findings } = await world.get('objects/kopfexamples.kopf.dev/ns/a');
    expect(findings.map(({ code }: any) => code)).toContain('handler-overdue');
  });

  it('should be that the API server refuses to store the state of an object, and why', async () => {
    const world = await ConsoleWorld.start();
    const { faults } = world.harness.kube;
    const message = 'admission webhook "a.b.c" denied the request: no updates';
    const fault = faults.reject(403, { verb: 'patch', resource: 'kopfexamples.kopf.dev', message, times: Infinity });
    await world.harness.create('a');
    await world.harness.advance(120);
    expect(await world.get('objects?stuck=true')).toMatchObject({ items: [{ name: 'a', phase: 'stuck' }] });
    const { findings } = await world.get('objects/kopfexamples.kopf.dev/ns/a');
    const problem = { code: 'state-not-stored', text: expect.stringContaining('no updates'), problem: true };
    const remedy = expect.stringContaining('a webhook that allows it') as string;
    expect(findings).toContainEqual({ ...problem, remedy });
    fault.cancel();
    await world.harness.advance(600);
    expect(await world.get('objects?stuck=true')).toMatchObject({ total: 0 });
  });

  it('should be who holds the Lease', async () => {
    const world = await ConsoleWorld.start({
      options: { coordination: 'lease', lease: { namespace: 'ns', name: 'shown' } },
    });
    await world.harness.advance(30);
    const { mode, identity, lease } = await world.get('coordination');
    expect([mode, lease]).toEqual([
      'lease',
      {
        namespace: 'ns',
        name: 'shown',
        holder: identity,
        isLeader: true,
        transitions: 0,
        renewedAt: expect.any(Number) as number,
      },
    ]);
    expect(lease.renewedAt).toBeGreaterThan(world.harness.clock.now() - 30_000);
  });

  it('should be which objects belong to one', async () => {
    const world = await ConsoleWorld.start();
    const { metadata } = await world.harness.create('parent');
    const owner = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'parent', uid: metadata.uid };
    await world.harness.create('child', { metadata: { ownerReferences: [owner] } as never });
    await world.harness.patch('child', { status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    await world.harness.advance(5);
    const of = async (name: string) => (await world.get(`objects/kopfexamples.kopf.dev/ns/${name}`)).relatives;
    expect(await of('parent')).toMatchObject([{ relation: 'child', name: 'child', namespace: 'ns', ready: false }]);
    expect(await of('child')).toMatchObject([{ relation: 'owner', name: 'parent', resource: 'kopfexamples.kopf.dev' }]);
  });
});

@References('spec.configRef', 'configmaps')
@Needs({ secrets: ['create'], configmaps: ['patch'] })
class RelatedOperator {
  @OnReference('kopfexamples.kopf.dev')
  refer() {}

  @OnChild('kopfexamples.kopf.dev', 'services')
  count() {}

  @OnEvent('configmaps')
  note() {}
}

describe('The relatives of an object', () => {
  it('should be what it refers to, what refers to it, and children that were adopted, watched or not', async () => {
    const world = await ConsoleWorld.start({ handlers: [RelatedOperator] });
    const { harness } = world;
    const make = (plural: string, body: object) => harness.send('POST', `/api/v1/namespaces/ns/${plural}`, body);
    await make('configmaps', { metadata: { name: 'colours' } });
    const { metadata } = await harness.create('web', { spec: { configRef: 'colours' } });
    await harness.create('lost', { spec: { configRef: 'nowhere' } });
    const owner = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', name: 'web', uid: metadata.uid, controller: true };
    await make('secrets', { metadata: { name: 'adopted', ownerReferences: [owner] } });
    await make('services', { metadata: { name: 'seen', ownerReferences: [owner] }, spec: { ports: [{ port: 80 }] } });
    await harness.advance(5);
    const of = async (path: string) =>
      (await world.get(`objects/${path}`)).relatives.map(({ relation, resource, name, missing }: InspectedRelative) =>
        [relation, resource, name, ...(missing ? ['missing'] : [])].join(' '),
      );
    expect((await of('kopfexamples.kopf.dev/ns/web')).sort()).toEqual([
      'child secrets adopted',
      'child services seen',
      'reference configmaps colours',
    ]);
    expect(await of('configmaps/ns/colours')).toEqual(['referrer kopfexamples.kopf.dev web']);
    expect(await of('kopfexamples.kopf.dev/ns/lost')).toEqual(['reference configmaps nowhere missing']);
  });
});

describe('The permissions of the operator', () => {
  it('should name the handlers, classes, and features that need them, and count uses in namespaces', async () => {
    const world = await ConsoleWorld.start({
      handlers: [RelatedOperator, ShownOperator],
      options: { coordination: 'lease', lease: { namespace: 'ns', name: 'shown' } },
      console: { history: { keep: 'always' } },
    });
    await world.harness.create('web', { spec: { fails: true } });
    await world.harness.advance(30);
    const permissions: readonly InspectedPermission[] = await world.get('permissions');
    const find = (verb: string, resource: string) =>
      permissions.filter((each) => each.verb === verb && each.resource === resource);
    expect(find('patch', 'kopfexamples')).toEqual([
      expect.objectContaining({ neededBy: expect.arrayContaining(['ShownOperator.create']) as string[] }),
    ]);
    expect(find('patch', 'kopfexamples')[0].namespace).toBeUndefined();
    expect(find('patch', 'kopfexamples')[0].used).toBeGreaterThan(0);
    expect(find('create', 'secrets')).toMatchObject([{ neededBy: ['RelatedOperator'], used: 0 }]);
    expect(find('update', 'leases')).toMatchObject([{ neededBy: ['to hold the Lease'], namespace: 'ns' }]);
    expect(find('update', 'leases')[0].used).toBeGreaterThan(0);
    expect(find('create', 'events')[0].neededBy[0]).toContain('to post events');
    expect(find('watch', 'customresourcedefinitions')[0].neededBy).toEqual(['to notice resources that come and go']);
    expect(permissions.filter(({ neededBy }) => neededBy.length === 0)).toEqual([]);
  });
});

describe('The options of the console', () => {
  it.each([
    [{ path: '/' }, 'path must be more than slashes'],
    [{ operators: [] }, 'operators must be a list of names'],
    [{ operator: 'other' }, 'operator must be left out'],
    [{ actions: { allow: ['delete'] } }, 'actions.allow must be a list of retry'],
    [{ actions: { authorise: () => true } }, 'actions.authorise does not exist'],
    [{ actions: { allow: ['retry'] } }, 'actions.allow needs actions.authenticate'],
    [{ signIn: { admin: undefined as never } }, 'signIn must be passwords of at least 3 characters'],
    [{ signIn: {} }, 'signIn must be passwords of at least 3 characters'],
    [{ histori: {} }, 'histori does not exist; did you mean history?'],
    [{ history: { keep: 'never' } }, "history.keep must be 'viewed' or 'always'"],
    [{ redact: [{ fields: ['a'] }] }, 'redact must be a list'],
    [{ traceUrl: 'javascript:alert({traceId})' }, 'traceUrl must be an address'],
  ])('should be refused if they are wrong: %j', async (options, message) => {
    await expect((async () => ConsoleWorld.start({ console: options as never }))()).rejects.toThrow(message);
  });
});
