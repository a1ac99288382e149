import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { MemoryLogger } from '../../../../test/support/telemetry/memory.logger.js';
import { ScriptedStream, ScriptedTransport, type Script } from '../../../../test/support/transport/scripted.api.js';
import { OnCleanup, OnCreate, OnLogin, OnStartup } from '../index.js';
import { ActivityError } from '../activities/activity.error.js';
import { PermanentError, TemporaryError } from '../execution/handler.errors.js';
import type { KopfModuleOptions } from '../kopf.options.js';
import { KopfModule } from '../kopf.module.js';
import { KOPF_LOGGER } from '../kopf.tokens.js';
import { SeededRandom } from 'kube-common';
import { VirtualClock } from '../testing/time/virtual.clock.js';
import { KopfOperator } from './kopf.operator.js';
import { OperatorStoppedError } from './operator-stopped.error.js';

const VERBS = ['list', 'watch', 'patch'];
const CONFIG_MAPS = {
  name: 'configmaps',
  singularName: 'configmap',
  kind: 'ConfigMap',
  namespaced: true,
  verbs: VERBS,
};
const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
};

/** A cluster with nothing but one config map, whose watch never tells anything. */
const cluster: Script = ({ path, method, body }) => {
  if (method === 'PATCH') return { json: merged(JSON.parse(String(body))) };
  if (path === '/api') return { json: { kind: 'APIVersions', versions: ['v1'] } };
  if (path === '/apis') return { json: { kind: 'APIGroupList', groups: [] } };
  if (path === '/api/v1') return { json: { kind: 'APIResourceList', groupVersion: 'v1', resources: [CONFIG_MAPS] } };
  if (path.includes('watch=true')) return { stream: new ScriptedStream() };
  return { json: { kind: 'ConfigMapList', metadata: { resourceVersion: '1' }, items: [OBJECT] } };
};

function merged({ metadata }: typeof OBJECT): object {
  return { ...OBJECT, metadata: { ...OBJECT.metadata, ...metadata, resourceVersion: '2' } };
}

/** The bodies of the handlers. */
interface Behaviour {
  startup?(): unknown;
  login?(): unknown;
  create?(): unknown;
  cleanup?(): unknown;
}

describe('KopfOperator', () => {
  async function arrange(behaviour: Behaviour = {}, options: KopfModuleOptions = {}) {
    const clock = new VirtualClock();
    const logger = new MemoryLogger();
    const transport = new ScriptedTransport(cluster);
    const calls: string[] = [];
    const credentials = { server: 'http://scripted', transport };

    @Injectable()
    class Handlers {
      @OnStartup()
      startup() {
        return this.call('startup');
      }
      @OnLogin()
      login() {
        return this.call('login') ?? credentials;
      }
      @OnCreate('v1', 'configmaps')
      async create() {
        await this.call('create');
      }
      @OnCleanup()
      cleanup() {
        return this.call('cleanup');
      }
      private call(name: keyof Behaviour): unknown {
        calls.push(name);
        return behaviour[name]?.();
      }
    }
    const module = await Test.createTestingModule({
      imports: [
        KopfModule.forRoot({
          clock,
          random: new SeededRandom(1),
          enabled: false,
          peering: { standalone: true },
          ...options,
        }),
      ],
      providers: [Handlers],
    })
      .overrideProvider(KOPF_LOGGER)
      .useValue(logger)
      .setLogger(false as never)
      .compile();
    await module.init();
    onTestFinished(() => clock.runUntil(module.close()));
    const operator = module.get(KopfOperator);
    const states: string[] = [];
    operator.state$.subscribe((state) => states.push(state));
    const settle = <T>(promise: Promise<T>): Promise<T | Error> =>
      clock.runUntil(promise.catch((error: Error) => error));
    return { calls, clock, logger, operator, settle, states, transport };
  }

  it('should go through its states, and all over again when it is started again', async () => {
    const { calls, operator, settle, states } = await arrange();
    for (let run = 0; run < 2; run += 1) {
      await settle(operator.start());
      await settle(operator.ready());
      await settle(operator.stop());
    }
    const once = ['starting', 'running', 'stopping', 'stopped'];
    expect(states).toEqual(['idle', ...once, ...once]);
    expect(calls.filter((call) => call !== 'create' && call !== 'login')).toEqual([
      'startup',
      'cleanup',
      'startup',
      'cleanup',
    ]);
  });

  it('should start once for all who ask for it', async () => {
    const { calls, operator, settle } = await arrange();
    await Promise.all([operator.start(), operator.start()].map(settle));
    await settle(operator.ready());
    await settle(operator.start());
    expect(calls.filter((call) => call === 'startup')).toHaveLength(1);
  });

  it.each(['stop', 'drain'] as const)('should have nothing to %s before it is started', async (action) => {
    const { calls, operator, settle, states } = await arrange();
    expect(await settle(operator[action]())).toBeUndefined();
    expect([calls, states]).toEqual([[], ['idle']]);
  });

  it.each<[string, (clock: VirtualClock) => Behaviour]>([
    ['a startup handler waits for its retry', () => ({ startup: () => Promise.reject(later()) })],
    ['a startup handler runs', (clock) => ({ startup: () => pause(clock, 3) })],
    ['a login handler waits for its retry', () => ({ login: () => Promise.reject(later()) })],
  ])('should stop while %s, and tell so whoever has started it', async (_, behave) => {
    const behaviour: Behaviour = {};
    const { calls, clock, operator, settle } = await arrange(behaviour);
    Object.assign(behaviour, behave(clock));
    const starting = operator.start().catch((error: Error) => error);
    const ready = operator.ready().catch((error: Error) => error);
    await clock.advance(1000);
    expect(operator.state).toBe('starting');
    await settle(operator.stop());
    expect([await starting, await ready]).toEqual([expect.any(OperatorStoppedError), expect.any(OperatorStoppedError)]);
    expect([operator.state, calls.at(-1)]).toEqual(['stopped', 'cleanup']);
    expect(clock.monotonic()).toBeLessThan(10_000);
  });

  it('should fail with its startup handlers, and work when it is started again without their error', async () => {
    const behaviour: Behaviour = { startup: () => Promise.reject(new PermanentError('broken')) };
    const { operator, settle, states } = await arrange(behaviour, { required: true });
    const ready = operator.ready().catch((error: Error) => error);
    const error = await settle(operator.start());
    expect(error).toBeInstanceOf(ActivityError);
    expect([operator.failure, await ready]).toEqual([error, error]);
    behaviour.startup = undefined;
    await settle(operator.start());
    await settle(operator.ready());
    expect(operator.failure).toBeUndefined();
    expect(states).toEqual(['idle', 'starting', 'failed', 'stopping', 'stopped', 'starting', 'running']);
  });

  it('should wait for a handler that is running when it stops', async () => {
    const behaviour: Behaviour = {};
    const { clock, logger, operator, settle } = await arrange(behaviour);
    let hasEnded = false;
    behaviour.create = async () => {
      await pause(clock, 1.5);
      hasEnded = true;
    };
    await settle(operator.start());
    await settle(operator.ready());
    await settle(operator.stop());
    expect(hasEnded).toBe(true);
    expect(logger.messages('warn')).toEqual([]);
  });

  it.each<[string, keyof Behaviour, string]>([
    ['a handler', 'create', 'Some handlers are still running; they are not waited for any longer.'],
    ['a cleanup handler', 'cleanup', 'The cleanup handlers are not waited for any longer.'],
  ])('should not wait for ever for %s', async (_, name, warning) => {
    const { logger, operator, settle } = await arrange({ [name]: () => new Promise(() => undefined) });
    await settle(operator.start());
    await settle(operator.ready());
    await settle(operator.stop());
    expect(operator.state).toBe('stopped');
    expect(logger.messages('warn')).toContain(warning);
  });

  it('should be ready, but watch nothing, as long as it is paused', async () => {
    const { clock, operator, settle, states, transport } = await arrange();
    operator.pause('A test wants it.');
    await settle(operator.start());
    await settle(operator.ready());
    expect(operator.pauseStatus).toEqual({ paused: true, reasons: ['A test wants it.'] });
    expect(transport.log.filter((request) => request.includes('/configmaps'))).toEqual([]);
    operator.resume();
    await clock.advance(1000);
    operator.pause();
    await clock.advance(1000);
    expect(states).toEqual(['idle', 'starting', 'paused', 'running', 'paused']);
    expect(transport.log.some((request) => request.includes('/configmaps'))).toBe(true);
  });
});

/** An error after which a handler waits for its retry. */
function later(): Error {
  return new TemporaryError('not yet', { delay: 60 });
}

function pause(clock: VirtualClock, seconds: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, seconds * 1000));
}
