import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import {
  KubeClient,
  LoginError,
  OnCreate,
  OnLogin,
  OnStartup,
  PermanentError,
  TemporaryError,
  type ActivityContext,
  type ConnectionInfo,
  type KubeTransport,
  type LoginContext,
} from 'nestjs-kopf';
import { Vault } from '../../../libs/kopf/src/client/vault/vault.js';
import { Calls } from '../../support/operators/calls.js';
import { eventually } from '../../support/time/eventually.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** The options have no credentials, so that only the handlers have some. */
const BY_HANDLERS = { credentials: undefined } as const;

describe('Login handlers', () => {
  let harness: OperatorHarness;
  let calls: Calls;

  beforeEach(async () => {
    harness = await OperatorHarness.start({
      kube: { token: 'first', users: { second: { name: 'operator', groups: ['system:masters'] } } },
    });
    calls = new Calls();
  });

  const connect = (token: string, more: Partial<ConnectionInfo> = {}): ConnectionInfo => ({
    server: 'http://embedded',
    token,
    transport: harness.kube.transport(token),
    ...more,
  });

  it('should be called after the startup handlers, and replace the built-in login', async () => {
    class Operator {
      @OnLogin()
      login(context: ActivityContext) {
        calls.add('login', context);
        return connect('first');
      }
      @OnStartup({ backoff: 1 })
      begin(context: ActivityContext) {
        calls.add('startup', context);
        if (context.retry === 0) throw new Error('not yet');
      }
      @OnCreate(...KEX)
      create() {}
    }
    await harness.run(Operator, BY_HANDLERS);
    await harness.create('a');
    await harness.advance(1);
    expect(calls.ids).toEqual(['startup', 'startup', 'login']);
    expect(await harness.marks('a')).toHaveLength(1);
  });

  it('should have the memo and the settings of the operator', async () => {
    const seen: unknown[] = [];
    class Operator {
      @OnStartup()
      begin({ memo, settings }: ActivityContext) {
        memo.token = 'first';
        settings.posting.enabled = false;
      }
      @OnLogin()
      login({ memo, settings, indices }: LoginContext) {
        seen.push(settings.posting.enabled, Object.keys(indices));
        return connect(memo.token as string);
      }
    }
    await harness.run(Operator, BY_HANDLERS);
    expect(seen).toEqual([false, []]);
  });

  it('should be retried until they succeed, as they say', async () => {
    class Operator {
      @OnLogin({ backoff: 5 })
      login(context: ActivityContext) {
        calls.add('login', context);
        if (context.retry === 0) throw new Error('no network');
        if (context.retry === 1) throw new TemporaryError('not yet', { delay: 3 });
        return connect('first');
      }
    }
    const before = harness.clock.now();
    await harness.run(Operator, BY_HANDLERS);
    expect(calls.all.map(({ retry }) => retry)).toEqual([0, 1, 2]);
    expect(harness.clock.now() - before).toBeGreaterThanOrEqual(8000);
  });

  it('should not matter if they fail, as long as another one succeeds', async () => {
    class Failing {
      @OnLogin()
      login() {
        throw new PermanentError('no plugin');
      }
    }
    class Slow {
      @OnLogin({ backoff: 3600 })
      login() {
        throw new Error('no network');
      }
    }
    class Empty {
      @OnLogin()
      login() {}
    }
    class Good {
      @OnLogin()
      login() {
        return connect('first');
      }
    }
    const before = harness.clock.now();
    await harness.run([Failing, Slow, Empty, Good], BY_HANDLERS);
    expect(harness.clock.now() - before).toBeLessThan(60_000);
    expect(harness.logger.messages('error').join('\n')).toMatch(/no plugin[^]*no network/);
  });

  it('should fail the start if all of them have failed for good, and say why', async () => {
    class Operator {
      @OnLogin({ retries: 2, backoff: 1 })
      login(context: ActivityContext) {
        calls.add('login', context);
        throw new Error('no network');
      }
    }
    const start = harness.run(Operator, { ...BY_HANDLERS, required: true });
    await expect(start).rejects.toThrow(/No login handler has succeeded: Operator.login: .*no network/);
    await expect(start).rejects.toBeInstanceOf(LoginError);
    expect(calls.count('login')).toBe(2);
  });

  it('should fail the start if none of them has any credentials', async () => {
    class Operator {
      @OnLogin()
      login() {
        return undefined;
      }
    }
    const options = { ...BY_HANDLERS, required: true };
    await expect(harness.run(Operator, options)).rejects.toThrow('no login has found any');
  });

  it('should be called again when the credentials expire', async () => {
    class Operator {
      @OnLogin()
      login(context: ActivityContext) {
        calls.add('login', context);
        return connect('first', { expiration: new Date(harness.clock.now() + 60_000) });
      }
      @OnCreate(...KEX)
      create() {}
    }
    await harness.run(Operator, BY_HANDLERS);
    await harness.advance(61);
    await harness.create('a');
    await harness.advance(1);
    expect(await harness.marks('a')).toHaveLength(1);
    expect(calls.count('login')).toBeGreaterThan(1);
  });

  it('should be called again when the server does not accept the credentials any more, once for all requests', async () => {
    const tokens = ['revoked', 'second'];
    class Operator {
      @OnLogin()
      login(context: ActivityContext) {
        calls.add('login', context);
        return connect(tokens.shift()!);
      }
      @OnCreate(...KEX)
      create() {}
    }
    await harness.run(Operator, BY_HANDLERS);
    await harness.create('a');
    await harness.advance(1);
    expect(await harness.marks('a')).toHaveLength(1);
    expect(calls.count('login')).toBe(2);
  });

  it.each(['text', 'path', 'KubeConfig'])('should be able to return a kubeconfig: %s', async (form) => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: 'secret' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'here' } }],
      'current-context': 'x',
    });
    const folder = mkdtempSync(join(tmpdir(), 'kopf-login-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'config');
    writeFileSync(path, text);
    class Operator {
      @OnLogin()
      async login() {
        if (form === 'text') return text;
        if (form === 'path') return path;
        const config = new KubeConfig();
        config.loadFromString(text);
        return config;
      }
    }
    const operator = await harness.run(Operator, { ...BY_HANDLERS, enabled: false, unready: true });
    const item = await harness.get<Vault>(Vault).acquire();
    expect(item.info).toMatchObject({ server: 'https://127.0.0.1:1', token: 'secret', defaultNamespace: 'here' });
    expect(operator.state).toBe('idle');
  });

  it('should be able to use the built-in logins', async () => {
    const found: unknown[] = [];
    class Operator {
      @OnLogin()
      async login({ withServiceAccount, withKubeConfig }: LoginContext) {
        found.push(await withServiceAccount());
        await withKubeConfig('/nowhere/config').catch((error: Error) => found.push(error.message));
        return connect('first');
      }
    }
    await harness.run(Operator, BY_HANDLERS);
    expect(found).toEqual([undefined, 'No such kubeconfig: /nowhere/config.']);
  });

  it('should serve requests of the application before the operator starts', async () => {
    class Operator {
      @OnLogin()
      login(context: ActivityContext) {
        calls.add('login', context);
        return connect('first');
      }
    }
    await harness.run(Operator, { ...BY_HANDLERS, enabled: false, unready: true });
    const { items } = await harness.clock.runUntil(harness.get(KubeClient).list('namespaces'));
    expect(items.length).toBeGreaterThan(0);
    expect(calls.ids).toEqual(['login']);
  });

  it('should not hold up the stop, whatever they wait for', async () => {
    class Operator {
      @OnLogin()
      login(context: ActivityContext) {
        calls.add('login', context);
        throw new Error('no network');
      }
    }
    const idle = harness.clock.pending;
    const operator = await harness.run(Operator, { ...BY_HANDLERS, enabled: false, unready: true });
    const started = operator.start();
    started.catch(() => undefined);
    await eventually('the login', () => calls.count('login') > 0);
    await harness.clock.runUntil(operator.stop());
    await expect(started).rejects.toMatchObject({ code: 'KOPF_STOPPED' });
    expect(operator.state).toBe('stopped');
    await harness.stop();
    expect(harness.clock.pending).toBe(idle);
  });

  it('should close what they have opened when the application is closed', async () => {
    const closed: string[] = [];
    class Operator {
      @OnLogin()
      login() {
        const transport = harness.kube.transport('first');
        const watched: KubeTransport = {
          request: (request) => transport.request(request),
          close: async () => {
            closed.push('closed');
            await transport.close();
          },
        };
        return { server: 'http://embedded', transport: watched };
      }
    }
    await harness.run(Operator, BY_HANDLERS);
    await harness.stop();
    expect(closed).toEqual(['closed']);
  });
});
