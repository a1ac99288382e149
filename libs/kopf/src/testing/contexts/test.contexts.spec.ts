import { adopt } from '../../hierarchies/adopt.js';
import { event } from '../../events/events.js';
import type {
  ActivityContext,
  AdmissionContext,
  ChangeContext,
  DaemonContext,
  EventContext,
  IndexContext,
  LoginContext,
  TimerContext,
} from '../../contexts/contexts.interface.js';
import { CredentialsError } from '../../client/vault/connection-info.js';
import { TemporaryError } from '../../execution/handler.errors.js';
import { AdmissionError } from '../../admission/review/admission.errors.js';
import {
  activityContext,
  admissionContext,
  callHandler,
  changeContext,
  daemonContext,
  eventContext,
  indexContext,
  loginContext,
  timerContext,
  type Recorded,
} from '../index.js';

interface DiskSpec {
  readonly size: string;
  readonly class: string;
}

interface DiskStatus {
  readonly size?: string;
}

class DiskOperator {
  create({ spec, name, patch, logger, retry }: ChangeContext<DiskSpec, DiskStatus>): { name: string } {
    if (retry < 1) throw new TemporaryError('Not yet.');
    logger.log(`Creating ${spec.size}.`);
    patch.status.size = spec.size;
    return { name };
  }

  relabel({ diff, old, new: now }: ChangeContext): unknown {
    return { diff, old, now };
  }

  own({ info }: ChangeContext): unknown {
    const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'child' } as Record<string, any> };
    adopt(child);
    info({ reason: 'Adopted', message: 'It is ours.' });
    event(child, { type: 'Normal', reason: 'Told', message: 'From anywhere.' });
    return child.metadata;
  }

  async split({ subhandler, execute, patch }: ChangeContext): Promise<void> {
    subhandler('one', (child) => {
      child.patch.status.one = true;
      child.subhandler('inner', () => void (child.patch.status.inner = true));
    });
    await execute();
    patch.status.before = { ...patch.status };
    subhandler('two', () => void (patch.status.two = true));
  }

  async watch({ stopped, spec, patch, signal }: DaemonContext<DiskSpec>): Promise<void> {
    let rounds = 0;
    while (!stopped.isSet) {
      rounds += 1;
      await stopped.wait(10);
    }
    patch.status.watched = [spec.size, rounds, signal.aborted];
  }

  tick({ patch, param }: TimerContext): void {
    patch.status.param = param;
  }

  see({ type, event: seen, body, warn }: EventContext): unknown {
    warn({ reason: 'Seen' });
    return [type, seen.object === body, body.metadata.name];
  }

  list({ name, namespace, indices }: IndexContext): unknown {
    return { [namespace!]: [name, ...indices.others.get('node-1')!] };
  }

  check({ spec, operation, old, dryrun, userinfo, headers, warnings }: AdmissionContext<DiskSpec>): unknown {
    if (!spec.size) throw new AdmissionError('No size.');
    warnings.push('Nearly full.');
    return [operation, old?.spec?.size, dryrun, userinfo.username, headers['x-a']];
  }

  start({ settings, memo }: ActivityContext): unknown {
    memo.started = true;
    return settings.queueing.workerLimit;
  }
}

describe('contexts of tests', () => {
  const operator = new DiskOperator();

  it('should be what a handler of changes gets, without a cast', async () => {
    const context = changeContext<DiskSpec, DiskStatus>({ name: 'a', spec: { size: '1G' }, retry: 1 });
    expect(context.reason).toBe('create');
    expect(context.old).toBeUndefined();
    expect(await callHandler(context, () => operator.create(context))).toEqual({ name: 'a' });
    expect(context.patch.status).toEqual({ size: '1G' });
    expect(context.logs.messages('log')).toEqual(['Creating 1G.']);
    expect(context).toMatchObject({
      name: 'a',
      namespace: 'default',
      labels: {},
      annotations: {},
      uid: 'uid-of-example',
    });
    expect(context.resource).toMatchObject({
      group: 'example.com',
      version: 'v1',
      plural: 'examples',
      kind: 'Example',
    });
  });

  it('should pass errors on', async () => {
    const context = changeContext({});
    await expect(callHandler(context, () => operator.create(context))).rejects.toThrow(TemporaryError);
  });

  it('should have the differences from the old object, of the whole or of a field', () => {
    const labels = { app: 'b' };
    const context = changeContext({ spec: { size: 1 }, labels, old: { spec: { size: 2 }, labels: { app: 'a' } } });
    expect(context.reason).toBe('update');
    expect(operator.relabel(context)).toEqual({
      diff: expect.arrayContaining([
        ['change', ['spec', 'size'], 2, 1],
        ['change', ['metadata', 'labels', 'app'], 'a', 'b'],
      ]),
      old: { spec: { size: 2 }, metadata: { labels: { app: 'a' } } },
      now: { spec: { size: 1 }, metadata: { labels: { app: 'b' } } },
    });
    const field = changeContext({ labels, old: { labels: { app: 'a' } }, field: 'metadata.labels' });
    expect(operator.relabel(field)).toEqual({
      diff: [['change', ['app'], 'a', 'b']],
      old: { app: 'a' },
      now: { app: 'b' },
    });
  });

  it.each([
    ['delete' as const, { deletionTimestamp: expect.any(String) }],
    ['resume' as const, {}],
  ])('should have an unchanged object if the reason is to %s', (reason, metadata) => {
    const context = changeContext({ reason, spec: { size: 1 } });
    expect(context).toMatchObject({ reason, diff: [], old: { spec: { size: 1 } }, meta: metadata });
  });

  it('should be the scope in which functions find the object', async () => {
    const context = changeContext({ name: 'a', namespace: 'ns', body: { apiVersion: 'v1', kind: 'Secret' } });
    const metadata = await callHandler(context, () => operator.own(context));
    expect(metadata).toMatchObject({ namespace: 'ns', ownerReferences: [{ kind: 'Secret', name: 'a' }] });
    expect(context.events.reasons).toEqual(['Adopted', 'Told']);
    expect(context.events.of({ metadata: { name: 'a', namespace: 'ns' } })).toHaveLength(1);
    expect(context.events.of({ metadata: { name: 'b', namespace: 'ns' } })).toEqual([]);
  });

  it('should have sub-handlers called, when the handler says so or after it', async () => {
    const context = changeContext();
    await callHandler(context, () => operator.split(context));
    expect(context.patch.status).toEqual({ one: true, inner: true, before: { one: true, inner: true }, two: true });
    expect(context.subhandlers).toEqual(['one', 'one/inner', 'two']);
  });

  it('should let daemons run in virtual time until they are stopped', async () => {
    const context = daemonContext<DiskSpec>({ spec: { size: '1G' }, stopAfter: 35 });
    context.clock.setTimer(() => context.update({ spec: { size: '2G' } }), 20_000);
    await callHandler(context, () => operator.watch(context));
    expect(context.patch.status).toEqual({ watched: ['2G', 4, true] });
    expect(context.clock.monotonic()).toBe(35_000);
    const stopped = daemonContext<DiskSpec>({ spec: { size: '1G' } });
    stopped.stop();
    await callHandler(stopped, () => operator.watch(stopped));
    expect(stopped.patch.status).toEqual({ watched: ['1G', 0, true] });
  });

  it('should be there for the other kinds of handlers', async () => {
    const timer = timerContext({ param: 7 });
    await callHandler(timer, () => operator.tick(timer));
    expect(timer.patch.status).toEqual({ param: 7 });

    const seen = eventContext({ name: 'a', type: 'DELETED' });
    expect(await callHandler(seen, () => operator.see(seen))).toEqual(['DELETED', true, 'a']);
    expect([...seen.events]).toMatchObject([{ type: 'Warning', reason: 'Seen', message: '' }]);

    const entries = [
      ['node-1', 'x'],
      ['node-1', 'y'],
    ] as const;
    const listed = indexContext({ name: 'a', indices: { others: entries } });
    expect(await callHandler(listed, () => operator.list(listed))).toEqual({ default: ['a', 'x', 'y'] });

    const userinfo = { username: 'me' };
    const review = admissionContext<DiskSpec>({
      spec: { size: '2' },
      old: { spec: { size: '1' } },
      userinfo,
      headers: { 'x-a': 'b' },
    });
    expect(await callHandler(review, () => operator.check(review))).toEqual(['UPDATE', '1', false, 'me', 'b']);
    expect(review.warnings).toEqual(['Nearly full.']);
    const invalid = admissionContext<DiskSpec>();
    await expect(callHandler(invalid, () => operator.check(invalid))).rejects.toThrow(AdmissionError);
    expect(admissionContext({ operation: 'DELETE', spec: { size: 1 } })).toMatchObject({
      new: undefined,
      old: { spec: { size: 1 } },
    });

    const startup = activityContext({ settings: { queueing: { workerLimit: 3 } } });
    expect(await callHandler(startup, () => operator.start(startup))).toBe(3);
    expect(startup.memo).toEqual({ started: true });
  });

  it('should make the context of a login, which finds nothing but what the test says', async () => {
    const login = async ({ withServiceAccount, withKubeConfig }: LoginContext) =>
      (await withServiceAccount()) ?? (await withKubeConfig('/etc/operator'));
    const call = (context: Recorded<LoginContext>) => callHandler(context, () => login(context));
    expect(await call(loginContext())).toBeUndefined();
    const [inside, outside] = ['https://inside', 'https://outside'].map((server) => ({ server }));
    expect(await call(loginContext({ serviceAccount: inside, kubeConfig: outside }))).toBe(inside);
    expect(await call(loginContext({ kubeConfig: outside }))).toBe(outside);
    const paths: unknown[] = [];
    const context = loginContext({
      memo: { a: 1 },
      retry: 2,
      kubeConfig: (path) => void paths.push(path) as undefined,
    });
    expect(await call(context)).toBeUndefined();
    expect([paths, context.memo, context.retry]).toEqual([['/etc/operator'], { a: 1 }, 2]);
    const failing = loginContext({
      kubeConfig: () => {
        throw new CredentialsError('There is no such file.');
      },
    });
    await expect(call(failing)).rejects.toThrow('There is no such file.');
  });
});
