import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import {
  OnCreate,
  OnUpdate,
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type KubeRequest,
  type KubeResponse,
  type KubeTransport,
} from 'nestjs-kopf';
import type { ConsoleAction, KopfConsoleActions, KopfConsoleOptions } from 'nestjs-kopf-console';
import { errorResponse, KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { StubAdmissionServer } from '../../support/webhooks/reviews.js';
import { ConsoleWorld, ShownOperator } from './console.world.js';

const ALL: readonly ConsoleAction[] = ['retry', 'postpone', 'complete', 'repeat', 'release', 'pause', 'resume', 'memo'];
const FAILING = { resource: 'kopfexamples.kopf.dev', kind: 'KopfExample', namespace: 'ns', name: 'failing' };

const authenticate: KopfConsoleActions['authenticate'] = ({ headers }) =>
  headers['x-user'] ? { user: headers['x-user'] as string, groups: ['ops'] } : undefined;
const ALICE = { 'x-user': 'alice' };

const allowing = (actions: KopfConsoleActions = {}): KopfConsoleOptions => ({
  actions: { allow: ALL, authenticate, authorize: () => true, ...actions },
});

/** Calls its sub-handlers one after another. */
class Nested {
  readonly calls: string[] = [];

  @OnCreate(...KEX)
  create({ subhandler }: ChangeContext) {
    this.calls.push('create');
    subhandler('works', () => void this.calls.push('works'));
    subhandler('fails', ({ retry }: ChangeContext) => {
      this.calls.push(`fails ${retry}`);
      if (retry === 0) throw new TemporaryError('Not yet.', { delay: 600 });
    });
  }
}

/** Fails to update until it is mended. */
class Updating {
  readonly calls: string[] = [];
  isMended = false;

  @OnUpdate(...KEX)
  update({ old, spec }: ChangeContext) {
    this.calls.push(`${(old as any).spec.size} to ${spec.size}`);
    if (!this.isMended) throw new PermanentError('It cannot be.');
  }
}

/** Has one handler that fails for good, and one that waits. */
class Half {
  readonly calls: string[] = [];

  @OnCreate(...KEX)
  breaks({ retry }: ChangeContext) {
    this.calls.push(`breaks ${retry}`);
    throw new PermanentError('It cannot be.');
  }

  @OnCreate(...KEX)
  waits({ retry }: ChangeContext) {
    this.calls.push(`waits ${retry}`);
    throw new TemporaryError('Not yet.', { delay: 600 });
  }
}

/** Sees requests before the cluster does, and can answer them. */
function intercepting(
  { kube }: OperatorHarness,
  intercept: (request: KubeRequest) => KubeResponse | undefined | Promise<KubeResponse | undefined | void>,
): KubeTransport {
  const transport = kube.transport();
  const request = async (asked: KubeRequest) => (await intercept(asked)) ?? transport.request(asked);
  return { request, close: () => transport.close() };
}

async function start(
  options: KopfConsoleOptions = allowing(),
  spec: object = { fails: true },
  harness?: OperatorHarness,
) {
  const world = await ConsoleWorld.start({ console: options, harness });
  await world.harness.create('failing', { spec: spec as never });
  await world.harness.advance(5);
  return world;
}

describe('The actions of the console', () => {
  it('should be off until they are allowed, and need somebody who asks', async () => {
    const off = await start({ actions: { authenticate } });
    expect((await off.get('overview', ALICE)).actions).toEqual([]);
    expect(await off.post('retry', { object: FAILING, dryRun: false }, ALICE)).toMatchObject({ status: 404 });

    const anonymous = await start(allowing({ authenticate: () => undefined }));
    expect((await anonymous.get('overview', ALICE)).actions).toEqual([]);
    expect(await anonymous.post('retry', { object: FAILING, dryRun: false }, ALICE)).toMatchObject({ status: 401 });

    const world = await start(allowing({ allow: ['memo', 'retry'] }));
    expect(await world.get('overview', ALICE)).toMatchObject({ actions: ['retry', 'memo'], user: 'alice' });
    expect((await world.get('overview')).actions).toEqual([]);
    expect(await world.post('retry', { object: FAILING, dryRun: false })).toMatchObject({ status: 401 });
    expect(await world.post('pause', { dryRun: false }, ALICE)).toMatchObject({ status: 404 });
    expect(await world.post('nothing', {}, ALICE)).toMatchObject({ status: 404 });
    expect(
      world.harness.patchesOf('failing').every(({ body }) => !JSON.stringify(body).includes('"delayed":null')),
    ).toBe(true);
    expect(world.served.find(ShownOperator).calls).toEqual(['create failing 0']);
  });

  it('should say what they would do, and do nothing, unless this is asked for', async () => {
    const world = await start();
    const before = await world.harness.object('failing');
    const { status, body } = await world.post('retry', { object: FAILING }, ALICE);
    expect(status).toBe(200);
    expect(body).toMatchObject({ dryRun: true, done: false, text: 'Called now: create.' });
    expect(JSON.stringify(body.patch)).toContain('kopf.zalando.org/create');
    await world.harness.advance(5);
    expect(await world.harness.object('failing')).toEqual(before);
  });

  it('should call a waiting handler now, and name in an event who has asked for it', async () => {
    const world = await start();
    const stream = await world.stream('log');
    const { body } = await world.post(
      'retry',
      { object: FAILING, handler: 'create', dryRun: false, reason: 'Room was made' },
      ALICE,
    );
    expect(body).toMatchObject({ dryRun: false, done: true });
    await world.harness.advance(2);
    expect(world.served.find(ShownOperator).calls).toEqual(['create failing 0', 'create failing 1']);
    const events = (await world.harness.events()) as readonly any[];
    const [event] = events.filter(({ reason }) => reason === 'ConsoleRetry');
    expect(event).toMatchObject({ type: 'Normal', involvedObject: { name: 'failing' } });
    expect(event.message).toContain('alice');
    expect(event.message).toContain('Room was made');
    await stream.shows(() =>
      expect(stream.log).toContainEqual(
        expect.objectContaining({ type: 'operation', actor: { kind: 'user', name: 'alice' }, text: 'retry create' }),
      ),
    );
  });

  it('should call a waiting handler later', async () => {
    const world = await start();
    expect(await world.post('postpone', { object: FAILING, dryRun: false }, ALICE)).toMatchObject({ status: 400 });
    const { body } = await world.post('postpone', { object: FAILING, seconds: 1000, dryRun: false }, ALICE);
    expect(body).toMatchObject({ done: true, text: 'Called in 1000 seconds: create.' });
    await world.harness.advance(900);
    expect(world.served.find(ShownOperator).calls).toEqual(['create failing 0']);
    await world.harness.advance(110);
    expect(world.served.find(ShownOperator).calls).toEqual(['create failing 0', 'create failing 1']);
  });

  it('should let a handler count as succeeded', async () => {
    const world = await start();
    expect(await world.post('complete', { object: FAILING, dryRun: false }, ALICE)).toMatchObject({ status: 400 });
    const { body } = await world.post('complete', { object: FAILING, handler: 'create', dryRun: false }, ALICE);
    expect(body).toMatchObject({ done: true });
    await world.harness.advance(1000);
    expect(world.served.find(ShownOperator).calls).toEqual(['create failing 0']);
    expect(await world.harness.marks('failing')).toEqual(['kopf.zalando.org/last-handled-configuration']);
    expect((await world.get('objects?search=failing')).items).toMatchObject([{ phase: 'idle' }]);
    expect(await world.post('complete', { object: FAILING, handler: 'create' }, ALICE)).toMatchObject({ status: 404 });
  });

  it('should handle a creation again that has failed for good', async () => {
    const world = await start(allowing(), { breaks: true });
    const before = await world.harness.object('failing');
    const preview = await world.post('repeat', { object: FAILING }, ALICE);
    expect(preview.body).toMatchObject({ dryRun: true, done: false, text: expect.stringContaining('once more') });
    expect(await world.harness.object('failing')).toEqual(before);
    const { body } = await world.post('repeat', { object: FAILING, dryRun: false, reason: 'Was mended' }, ALICE);
    expect(body).toMatchObject({ done: true });
    await world.harness.advance(5);
    expect(world.served.find(ShownOperator).calls).toEqual(['create failing 0', 'create failing 0']);
    const events = (await world.harness.events()) as readonly any[];
    expect(events.find(({ reason }) => reason === 'ConsoleRepeat').message).toContain('Was mended');
  });

  it('should handle an update again with the same change', async () => {
    const world = await ConsoleWorld.start({ handlers: [Updating], console: allowing() });
    await world.harness.create('failing', { spec: { size: 1 } });
    await world.harness.advance(5);
    await world.harness.patch('failing', { spec: { size: 2 } });
    await world.harness.advance(5);
    const operator = world.served.find(Updating);
    operator.isMended = true;
    const { body } = await world.post('repeat', { object: FAILING, dryRun: false }, ALICE);
    expect(body).toMatchObject({ done: true });
    await world.harness.advance(5);
    expect(operator.calls).toEqual(['1 to 2', '1 to 2']);
    expect((await world.get('objects')).items).toMatchObject([{ phase: 'idle' }]);
    expect(await world.post('repeat', { object: FAILING }, ALICE)).toMatchObject({ status: 404 });
  });

  it('should call a handler again whose failure is stored, as others are not done', async () => {
    const world = await ConsoleWorld.start({ handlers: [Half], console: allowing() });
    await world.harness.create('failing');
    await world.harness.advance(5);
    const { calls } = world.served.find(Half);
    expect(calls).toEqual(['breaks 0', 'waits 0']);
    const { repeatable } = await world.get('objects/kopfexamples.kopf.dev/ns/failing');
    expect(repeatable).toEqual(['breaks']);
    await world.post('repeat', { object: FAILING, dryRun: false }, ALICE);
    await world.harness.advance(5);
    expect(calls).toEqual(['breaks 0', 'waits 0', 'breaks 0']);
  });

  it('should call a sub-handler now, with the handler that it belongs to', async () => {
    const world = await ConsoleWorld.start({ handlers: [Nested], console: allowing() });
    await world.harness.create('failing');
    await world.harness.advance(5);
    const { calls } = world.served.find(Nested);
    expect(calls).toContain('fails 0');
    const before = calls.length;
    const { status, body } = await world.post(
      'retry',
      { object: FAILING, handler: 'create/fails', dryRun: false },
      ALICE,
    );
    expect([status, body.text]).toEqual([200, 'Called now: create/fails.']);
    await world.harness.advance(5);
    expect(calls.slice(before)).toEqual(['create', 'fails 1']);
  });

  it('should release an object that is being deleted', async () => {
    const world = await start(allowing(), { holds: true });
    expect(await world.post('release', { object: FAILING, dryRun: false }, ALICE)).toMatchObject({ status: 400 });
    await world.harness.delete('failing');
    await world.harness.advance(5);
    expect((await world.get('objects?deleting=true')).items).toMatchObject([{ name: 'failing', deleting: true }]);
    const details = await world.get('objects/kopfexamples.kopf.dev/ns/failing');
    expect(details.finalizers[0].reason).toContain('stays until its handlers are done: remove');
    const { body } = await world.post('release', { object: FAILING, dryRun: false }, ALICE);
    expect(body).toMatchObject({ done: true });
    await world.harness.advance(5);
    expect(await world.harness.read('failing')).toBeUndefined();
  });

  it('should pause the operator, and let it go on', async () => {
    const world = await start();
    await world.post('pause', { dryRun: false, reason: 'Maintenance' }, ALICE);
    await world.harness.advance(1);
    const { paused } = await world.get('overview');
    expect(paused).toEqual(['alice has paused it in the console: Maintenance']);
    await world.post('resume', { dryRun: false }, ALICE);
    await world.harness.advance(1);
    expect((await world.get('overview')).paused).toEqual([]);
  });

  it('should not resume an operator that pauses because of another one', async () => {
    const lease = { coordination: 'lease', lease: { namespace: 'ns', name: 'shown' } } as const;
    const harness = await OperatorHarness.start();
    const admission = { server: new StubAdmissionServer({}) };
    await harness.run(ShownOperator, { ...lease, admission });
    const world = await ConsoleWorld.start({
      harness,
      options: lease,
      console: { actions: { allow: ALL, authenticate, authorize: () => true } },
    });
    expect(await world.get('coordination')).toMatchObject({ isPausedByHand: false });
    const { status, body } = await world.post('resume', {}, ALICE);
    expect([status, body.message]).toEqual([409, expect.stringContaining('was not paused by hand')]);
    await world.post('pause', { dryRun: false }, ALICE);
    expect(await world.get('coordination')).toMatchObject({ isPausedByHand: true });
    expect(await world.post('resume', { dryRun: false }, ALICE)).toMatchObject({ status: 200 });
    expect((await world.get('overview')).paused).toEqual([expect.stringContaining('is held by')]);
  });

  it('should show the memo without what is named like a secret', async () => {
    const world = await start();
    const { body } = await world.post('memo', { object: FAILING }, ALICE);
    expect(body.result).toEqual({ count: 0, password: '***' });
  });

  it('should leave an object alone that has changed meanwhile', async () => {
    const harness = await OperatorHarness.start();
    let isReading = false;
    // Somebody else changes the object between the reading and the patch.
    const transport = intercepting(harness, async ({ method, path }) => {
      if (isReading && method === 'PATCH' && path.endsWith('/failing')) {
        await harness.patch('failing', { metadata: { labels: { by: 'another' } } });
      }
    });
    const credentials = { server: 'http://embedded', transport };
    const world = await ConsoleWorld.start({ console: allowing(), harness, options: { credentials } });
    await harness.create('failing', { spec: { fails: true } });
    await harness.advance(5);
    isReading = true;
    const answer = await world.post('retry', { object: FAILING, dryRun: false }, ALICE);
    expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });

  it('should not touch another object that has got the name', async () => {
    const world = await start();
    const answer = await world.post('retry', { object: { ...FAILING, uid: 'another' }, dryRun: false }, ALICE);
    expect(answer.status).toBe(409);
  });

  describe('by SubjectAccessReviews', () => {
    const reviewing = allowing({ authorize: undefined });

    it('should ask the API server for each action, and take its word', async () => {
      const harness = await OperatorHarness.start({ kube: { authorization: 'rbac' } });
      const world = await start(reviewing, { fails: true }, harness);
      const place = { metadata: { name: 'retriers', namespace: 'ns' } };
      const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/ns';
      await world.harness.send('POST', `${rbac}/roles`, {
        ...place,
        rules: [{ apiGroups: ['console.kopf.dev'], resources: ['handlings'], verbs: ['retry'] }],
      });
      await world.harness.send('POST', `${rbac}/rolebindings`, {
        ...place,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'retriers' },
        subjects: [{ kind: 'User', name: 'alice' }],
      });
      await world.harness.advance(1);
      expect(await world.post('retry', { object: FAILING }, ALICE)).toMatchObject({ status: 200 });
      expect(await world.post('complete', { object: FAILING, handler: 'create' }, ALICE)).toMatchObject({
        status: 403,
      });
      expect(await world.post('retry', { object: FAILING }, { 'x-user': 'bob' })).toMatchObject({ status: 403 });
      const elsewhere = { ...FAILING, namespace: 'other' };
      expect(await world.post('retry', { object: elsewhere }, ALICE)).toMatchObject({ status: 403 });
      expect(await world.post('pause', { dryRun: false }, ALICE)).toMatchObject({ status: 403 });
    });

    it('should say what the operator lacks if it may not ask', async () => {
      const harness = await OperatorHarness.start();
      const transport = intercepting(harness, ({ path }) =>
        path.endsWith('/subjectaccessreviews') ? errorResponse(403, 'Forbidden', 'No.') : undefined,
      );
      const credentials = { server: 'http://embedded', transport };
      const world = await ConsoleWorld.start({ console: reviewing, harness, options: { credentials } });
      const { status, body } = await world.post('retry', { object: FAILING }, ALICE);
      expect(status).toBe(502);
      expect(body.message).toContain('subjectaccessreviews');
    });
  });

  it('should be behind the guards of the console', async () => {
    @Injectable()
    class Guard implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        return context.switchToHttp().getRequest().headers['x-user'] === 'alice';
      }
    }
    const world = await start({ ...allowing(), guards: [Guard], providers: [Guard] });
    expect(await world.ask('overview')).toMatchObject({ status: 403 });
    expect(await world.ask('overview', ALICE)).toMatchObject({ status: 200 });
    expect(await world.post('retry', { object: FAILING }, { 'x-user': 'bob' })).toMatchObject({ status: 403 });
    expect(await world.post('retry', { object: FAILING }, ALICE)).toMatchObject({ status: 200 });
  });
});
