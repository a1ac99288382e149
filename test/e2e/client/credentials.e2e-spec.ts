import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedKube } from 'embedded-kube';
import {
  OnCreate,
  OnLogin,
  OnUpdate,
  Timer,
  type ChangeContext,
  type ConnectionInfo,
  type LoginContext,
  type TimerContext,
} from 'nestjs-kopf';
import { createServerIdentity } from '../../../libs/embedded-kube/src/access/certificate.authority.js';
import { ServiceAccountLogin } from '../../../libs/kopf/src/client/vault/service-account.login.js';
import { AccessGate } from './access.gate.js';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';
import { LocalOperator } from '../../support/operators/local.operator.js';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';
import { byForm } from '../../support/runner/test.form.js';

const OBJECTS = ['a', 'b', 'c', 'd'];
/** Seconds of virtual time in which credentials are replaced again and again. */
const PERIOD = byForm({ short: 900, long: 3600 });
/** Seconds after which credentials are replaced. */
const LIFETIME = 300;
const ROTATIONS = PERIOD / LIFETIME;
/** Seconds from one change to the next: over time, changes come at each moment in the life of a token. */
const PACE = 2;

/** Notes the values that handlers have seen, and what is not as it should be. */
class Traffic {
  readonly handled = new Map<string, number>();
  readonly retried: string[] = [];
  calls = 0;
  ticks = 0;

  makeHandlers() {
    const note = ({ name, spec, retry }: ChangeContext<{ value: number }>): void => {
      this.calls += 1;
      if (retry > 0) this.retried.push(name);
      this.handled.set(name, spec.value);
    };
    const tick = (): number => (this.ticks += 1);
    class Handlers {
      @OnCreate(...KEX)
      @OnUpdate(...KEX)
      change(context: ChangeContext<{ value: number }>) {
        note(context);
        return { seen: context.spec.value };
      }

      @Timer(...KEX, { interval: 30 })
      tick({ patch }: TimerContext) {
        patch.status.ticks = tick();
      }
    }
    return Handlers;
  }
}

/** Work in real time, such as reading files and running plugins, which virtual time must not overtake. */
class RealWork {
  private count = 0;
  private position = 0;
  private logins = 0;

  constructor(private readonly harness: OperatorHarness) {}

  readonly track = async <T>(work: Promise<T>): Promise<T> => {
    this.count += 1;
    try {
      return await work;
    } finally {
      this.count -= 1;
    }
  };

  /** Waits until nothing of it is under way. */
  async done(): Promise<void> {
    while (this.isUnderWay()) await pause(1);
    await this.harness.clock.settle();
  }

  private isUnderWay(): boolean {
    const { lines } = this.harness.logger;
    for (; this.position < lines.length; this.position += 1) {
      const { message } = lines[this.position];
      if (message === 'Logging in.') this.logins += 1;
      if (message.startsWith('Logged in: ')) this.logins -= 1;
    }
    return this.count > 0 || this.logins > 0;
  }
}

/** Lets the period pass, with a change every other second; `onChange` is called before it. */
async function spendPeriod(
  harness: OperatorHarness,
  work: RealWork,
  onChange: (second: number) => void,
): Promise<Map<string, number>> {
  const last = new Map<string, number>();
  for (const name of OBJECTS) await harness.create(name, { spec: { value: 0 } });
  for (let second = PACE; second <= PERIOD; second += PACE) {
    onChange(second);
    const name = OBJECTS[(second / PACE) % OBJECTS.length];
    await harness.patch(name, { spec: { value: second } });
    last.set(name, second);
    await harness.advance(PACE);
    await work.done();
  }
  for (let second = PACE; second <= 10; second += PACE) {
    onChange(PERIOD + second);
    await harness.advance(PACE);
    await work.done();
  }
  return last;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kopf-credentials-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Puts the text there at once, as those who rotate credentials do. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o700 });
  renameSync(`${path}.new`, path);
}

function kubeconfig(user: object, cluster: object = { server: 'https://127.0.0.1:1' }): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/** Writes what the plugin prints, and a plugin that notes how often it was run. */
function makePlugin(folder: string) {
  const credentials = join(folder, 'credentials.json');
  const runs = join(folder, 'runs');
  const command = join(folder, 'plugin.sh');
  writeFileSync(runs, '');
  writeFileSync(command, `#!/bin/sh\necho run >> '${runs}'\ncat '${credentials}'\n`, { mode: 0o700 });
  const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' } };
  const issue = (token: string, expiration: number): void =>
    replaceFile(
      credentials,
      JSON.stringify({
        kind: 'ExecCredential',
        apiVersion: 'client.authentication.k8s.io/v1',
        status: { token, expirationTimestamp: new Date(expiration).toISOString() },
      }),
    );
  return { user, issue, count: () => readFileSync(runs, 'utf8').split('\n').length - 1 };
}

describe('Credentials that do not live long', () => {
  describe(`for ${PERIOD} seconds of virtual time`, () => {
    let harness: OperatorHarness;
    let traffic: Traffic;
    let work: RealWork;

    beforeEach(async () => {
      harness = await OperatorHarness.start();
      traffic = new Traffic();
      work = new RealWork(harness);
    });

    async function run(gate: AccessGate, login: (context: LoginContext) => Promise<ConnectionInfo | undefined>) {
      const connect = async (context: LoginContext): Promise<ConnectionInfo> => {
        const info = (await work.track(login(context)))!;
        return { ...info, transport: gate.transport(info, harness.clock, work.track) };
      };
      class Login {
        @OnLogin()
        login(context: LoginContext) {
          return connect(context);
        }
      }
      // Watches are opened again and again, so that they need credentials, too.
      const options = { credentials: undefined, watching: { serverTimeout: 60 } };
      const operator = await harness.run([Login, traffic.makeHandlers()], {
        ...options,
        enabled: false,
        unready: true,
      });
      const ready = operator.start().then(() => operator.ready());
      let isReady = false;
      ready.then(
        () => (isReady = true),
        () => (isReady = true),
      );
      for (let turn = 0; turn < 1000 && !isReady; turn += 1) {
        await work.done();
        await harness.advance(0.001);
      }
      await ready;
    }

    function expectNoFailure(last: ReadonlyMap<string, number>): void {
      expect(traffic.handled).toEqual(last);
      expect(traffic.retried).toEqual([]);
      expect(traffic.calls).toBe(PERIOD / PACE + OBJECTS.length);
      expect(traffic.ticks).toBeGreaterThan((OBJECTS.length * PERIOD) / 30 - 20);
      expect(harness.logger.messages('error')).toEqual([]);
    }

    it('should come from a credential plugin whose tokens live five seconds', { timeout: 300_000 }, async () => {
      const { clock } = harness;
      const folder = makeFolder();
      const plugin = makePlugin(folder);
      const issue = (): void => plugin.issue(`token-${clock.now()}`, clock.now() + 5000);
      const gate = new AccessGate(harness.kube, ({ authorization }) => {
        const issuedAt = Number(/^Bearer token-(\d+)$/.exec(authorization ?? '')?.[1]);
        return clock.now() < issuedAt + 5000;
      });
      issue();
      const path = join(folder, 'kubeconfig');
      writeFileSync(path, kubeconfig(plugin.user));
      let running = 0;
      let most = 0;
      await run(gate, async ({ withKubeConfig }) => {
        most = Math.max(most, ++running);
        const info = await withKubeConfig(path);
        running -= 1;
        return info;
      });
      const last = await spendPeriod(harness, work, issue);
      expectNoFailure(last);
      expect(harness.logger.messages('warn')).toEqual([]);
      expect(gate.refused).toBe(0);
      expect(most).toBe(1);
      expect(plugin.count()).toBeGreaterThan(PERIOD / 6);
      expect(plugin.count()).toBeLessThan(PERIOD / 4 + 10);
    });

    it.each([
      ['for a while beside the new one', 120],
      ['not any longer', 0],
    ])(
      'should come from the token file of a service account, in which the token from before is valid %s',
      { timeout: 300_000 },
      async (_, grace) => {
        const folder = makeFolder();
        const tokenPath = join(folder, 'token');
        const expirations = new Map<string, number>();
        let current = '';
        const rotate = (): void => {
          if (current) expirations.set(current, harness.clock.now() + grace * 1000);
          current = `Bearer token-${expirations.size}`;
          expirations.set(current, Infinity);
          replaceFile(tokenPath, `${current.slice('Bearer '.length)}\n`);
        };
        const gate = new AccessGate(
          harness.kube,
          ({ authorization }) => harness.clock.now() < (expirations.get(authorization ?? '') ?? 0),
        );
        rotate();
        const account = new ServiceAccountLogin({ folder, environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1' } });
        await run(gate, () => account.login());
        const last = await spendPeriod(harness, work, (second) => {
          if (second % LIFETIME === 0) rotate();
        });
        expectNoFailure(last);
        expect(expirations.size).toBe(ROTATIONS + 1);
        if (grace > 0) expect(gate.refused).toBe(0);
        else expect(gate.refused).toBeGreaterThan(0);
      },
    );
  });

  describe(`for ${PERIOD} seconds of virtual time, over HTTPS`, () => {
    /** Lets virtual time follow what is under way on real connections, until the value is handled. */
    async function untilHandled(harness: OperatorHarness, isHandled: () => boolean): Promise<void> {
      const deadline = performance.now() + 20_000;
      for (let turn = 1; !isHandled(); turn += 1) {
        if (performance.now() > deadline) throw new Error('Not handled, however long it was waited.');
        await pause(turn < 20 ? 0 : 2);
        await harness.clock.settle();
        // What pauses after an error, or reconnects, does so on virtual time.
        if (turn % 20 === 0) await harness.advance(0.1);
      }
    }

    it('should be client certificates in files that are replaced', { timeout: 300_000 }, async () => {
      const harness = await OperatorHarness.start();
      const traffic = new Traffic();
      const folder = makeFolder();
      const [certificatePath, privateKeyPath] = [join(folder, 'client.crt'), join(folder, 'client.key')];
      const expirations = new Map<string, number>();
      const gate = new AccessGate(
        harness.kube,
        ({ fingerprint = '' }) => harness.clock.now() < (expirations.get(fingerprint) ?? 0),
      );
      const identities = await Promise.all(
        Array.from({ length: ROTATIONS + 1 }, () => createServerIdentity(Date.now(), ['client'])),
      );
      const rotate = (): void => {
        const { certificate, privateKey } = identities[expirations.size];
        for (const each of expirations.keys()) expirations.set(each, harness.clock.now());
        expirations.set(new X509Certificate(certificate).fingerprint256, Infinity);
        replaceFile(privateKeyPath, privateKey);
        replaceFile(certificatePath, certificate);
      };
      const server = await gate.listen();
      onTestFinished(() => gate.close());
      rotate();
      const credentials = { ...server, certificatePath, privateKeyPath };
      await harness.run(traffic.makeHandlers(), { credentials, watching: { serverTimeout: 60 } });
      for (const name of OBJECTS) await harness.create(name, { spec: { value: 0 } });
      for (let second = 3; second <= PERIOD; second += 3) {
        if (second % LIFETIME === 0) rotate();
        const name = OBJECTS[second % OBJECTS.length];
        await harness.patch(name, { spec: { value: second } });
        await untilHandled(harness, () => traffic.handled.get(name) === second);
        await harness.advance(3);
      }
      expect(traffic.retried).toEqual([]);
      expect(harness.logger.messages('error')).toEqual([]);
      expect([expirations.size, traffic.handled.size]).toEqual([ROTATIONS + 1, OBJECTS.length]);
      expect(gate.refused).toBeGreaterThan(0);
    });
  });

  describe('over HTTPS', () => {
    const DURATION = 12_000;
    const ROOT = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
    let kube: EmbeddedKube;
    let user: ClusterUser;
    let folder: string;

    beforeEach(async () => {
      kube = await EmbeddedKube.start({ port: false });
      user = new ClusterUser(kube.transport());
      folder = makeFolder();
      onTestFinished(() => kube.stop());
      await user.create(DEFINITIONS, customResource());
    });

    /** Changes objects all the time, while credentials come and go; returns the last values. */
    async function work(rotate: () => Promise<void> | void): Promise<Map<string, number>> {
      const last = new Map<string, number>();
      const begin = performance.now();
      let rotatedAt = begin;
      for (const name of OBJECTS) await user.create(ROOT, { ...OBJECT, metadata: { name } });
      for (let value = 1; performance.now() - begin < DURATION; value += 1) {
        const name = OBJECTS[value % OBJECTS.length];
        await user.patch(`${ROOT}/${name}`, { spec: { value } });
        last.set(name, value);
        if (performance.now() - rotatedAt > 1500) {
          rotatedAt = performance.now();
          await rotate();
        }
        await pause(20);
      }
      return last;
    }

    async function exercise(
      gate: AccessGate,
      credentials: ConnectionInfo | string,
      rotate: () => Promise<void> | void,
    ) {
      const traffic = new Traffic();
      const operator = await LocalOperator.start(traffic.makeHandlers(), {
        credentials,
        watching: { serverTimeout: 2 },
      });
      onTestFinished(() => operator.stop());
      await operator.ready();
      const last = await work(rotate);
      await eventually('the last changes are handled', () =>
        [...last].every(([name, value]) => traffic.handled.get(name) === value),
      );
      expect(traffic.retried).toEqual([]);
      expect(operator.logger.messages('error')).toEqual([]);
      expect(gate.passed).toBeGreaterThan(100);
    }

    it('should be client certificates in files that are replaced', async () => {
      const certificatePath = join(folder, 'client.crt');
      const privateKeyPath = join(folder, 'client.key');
      const expirations = new Map<string, number>();
      const gate = new AccessGate(
        kube,
        ({ fingerprint = '' }) => performance.now() < (expirations.get(fingerprint) ?? 0),
      );
      const rotate = async (): Promise<void> => {
        const { certificate, privateKey } = await createServerIdentity(Date.now(), ['client']);
        const until = performance.now() + 500;
        for (const [each, time] of expirations) expirations.set(each, Math.min(time, until));
        expirations.set(new X509Certificate(certificate).fingerprint256, Infinity);
        replaceFile(privateKeyPath, privateKey);
        replaceFile(certificatePath, certificate);
      };
      const server = await gate.listen();
      onTestFinished(() => gate.close());
      await rotate();
      await exercise(gate, { ...server, certificatePath, privateKeyPath }, rotate);
      expect(expirations.size).toBeGreaterThan(5);
      expect(gate.refused).toBeGreaterThan(0);
    });

    it('should be tokens of a credential plugin', async () => {
      const plugin = makePlugin(folder);
      const gate = new AccessGate(kube, ({ authorization }) => {
        const issuedAt = Number(/^Bearer token-(\d+)$/.exec(authorization ?? '')?.[1]);
        return Date.now() < issuedAt + 5000;
      });
      const issue = (): void => plugin.issue(`token-${Date.now()}`, Date.now() + 5000);
      const { server, caData } = await gate.listen();
      onTestFinished(() => gate.close());
      issue();
      const cluster = { server, 'certificate-authority-data': Buffer.from(caData!).toString('base64') };
      await exercise(gate, kubeconfig(plugin.user, cluster), issue);
      expect(plugin.count()).toBeGreaterThan(2);
    });
  });
});

const OBJECT = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', spec: { value: 0 } };
