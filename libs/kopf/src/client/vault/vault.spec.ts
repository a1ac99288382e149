import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import { ScriptedTransport } from '../../../../../test/support/transport/scripted.api.js';
import { LoginError, type ConnectionInfo } from './connection-info.js';
import { type Clock, SeededRandom } from 'kube-common';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { Vault, type VaultOptions } from './vault.js';

const SERVER = 'https://127.0.0.1:6443';

class TestTransport extends ScriptedTransport {
  retired = false;

  constructor() {
    super(() => ({}));
  }

  async retire(): Promise<void> {
    this.retired = true;
  }
}

function createVault(logins: (Record<string, Partial<ConnectionInfo>> | Error)[], options: Partial<VaultOptions> = {}) {
  const clock = new VirtualClock();
  const logger = new MemoryLogger();
  const transports: TestTransport[] = [];
  let count = 0;
  const vault = new Vault({
    login: async () => {
      const answer = logins[Math.min(count++, logins.length - 1)];
      if (answer instanceof Error) throw answer;
      return new Map(Object.entries(answer).map(([key, info]) => [key, { server: SERVER, ...info }]));
    },
    createTransport: () => {
      transports.push(new TestTransport());
      return transports[transports.length - 1];
    },
    clock,
    random: new SeededRandom(3),
    logger,
    ...options,
  });
  return { vault, clock, logger, transports, logins: () => count };
}

/** Has the server refuse everything that the vault brings until it brings nothing any more. */
async function refuseUntilBanned(
  { vault, clock }: Pick<ReturnType<typeof createVault>, 'vault' | 'clock'>,
  reason?: unknown,
) {
  for (;;) {
    try {
      const item = vault.current() ?? (await clock.runUntil(vault.acquire()));
      await clock.runUntil(vault.invalidate(item, reason));
    } catch (error) {
      return error as LoginError;
    }
  }
}

describe('Vault', () => {
  it('should try credentials again at once that were refused for the first time, and each second then', async () => {
    const { vault, clock, logins } = createVault([{ a: { token: 'same' } }]);
    const first = await vault.acquire();
    vault.confirm(first);
    await clock.advance(3_600_000);
    await vault.invalidate(first);
    expect(vault.current()!.info.token).toBe('same');
    expect(vault.current()).not.toBe(first);
    const began = clock.monotonic();
    for (let tries = 1; tries < 5; tries += 1) {
      await clock.runUntil(vault.invalidate(vault.current()!));
      expect(clock.monotonic() - began).toBe(tries * 1000);
    }
    expect(logins()).toBe(6);
  });

  it('should ban credentials only after they were refused again and again for ten seconds, and for some seconds only', async () => {
    const made = createVault([{ a: { token: 'bad' } }]);
    const { vault, clock } = made;
    vault.confirm(await vault.acquire());
    const reason = new Error('401');
    const error = await refuseUntilBanned(made, reason);
    expect(error.message).toContain('does not accept any of them');
    expect(error.cause).toBe(reason);
    // One of them is the pause before the login that brings nothing else.
    expect(clock.monotonic()).toBe(11_000);
    for (const ban of [5000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      const began = clock.monotonic();
      // While they are banned, each login still can bring others.
      for (let at = 0; at < ban - 1000; at += 1000) {
        await expect(vault.acquire(), `after ${at} of ${ban}`).rejects.toThrow(LoginError);
        await clock.advance(1000);
      }
      while (!vault.current()) await vault.acquire().catch(() => clock.advance(1000));
      expect(clock.monotonic() - began).toBeLessThanOrEqual(ban + 5000);
      await expect(clock.runUntil(vault.invalidate(vault.current()!))).rejects.toThrow(LoginError);
    }
  });

  it('should not wait for long at the start, before the server has accepted any', async () => {
    const made = createVault([{ a: { token: 'bad' } }]);
    await refuseUntilBanned(made);
    expect(made.clock.monotonic()).toBe(3000);
  });

  it('should take other credentials within seconds though the first ones are banned for longer', async () => {
    const found: Record<string, Partial<ConnectionInfo>> = { a: { token: 'bad' } };
    const made = createVault([found]);
    const { vault, clock } = made;
    vault.confirm(await vault.acquire());
    for (let bans = 0; bans < 5; bans += 1) {
      await refuseUntilBanned(made);
      await clock.advance(60_000);
    }
    await refuseUntilBanned(made);
    found.a = { token: 'good' };
    const began = clock.monotonic();
    while (!vault.current()) await vault.acquire().catch(() => clock.advance(1000));
    expect(vault.current()!.info.token).toBe('good');
    expect(clock.monotonic() - began).toBeLessThanOrEqual(5000);
  });

  it('should forget refusals when the server accepts the credentials', async () => {
    const { vault, clock } = createVault([{ a: { token: 'same' } }]);
    await vault.acquire();
    for (let burst = 0; burst < 20; burst += 1) {
      await clock.runUntil(vault.invalidate(vault.current()!));
      expect(vault.isDoubted).toBe(true);
      vault.confirm(vault.current()!);
      expect(vault.isDoubted).toBe(false);
      await clock.advance(5000);
    }
    expect(vault.failure).toBeUndefined();
  });

  it('should not connect refusals that have nothing to do with each other', async () => {
    const { vault, clock } = createVault([{ a: { token: 'same' } }]);
    await vault.acquire();
    for (let refusal = 0; refusal < 20; refusal += 1) {
      await vault.invalidate(vault.current()!);
      await clock.advance(60_000);
    }
    expect(vault.current()).toBeDefined();
  });

  it('should tell tokens of one file from one another, and not try one again that was not accepted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vault-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tokenPath = join(folder, 'token');
    writeFileSync(tokenPath, 'one\n');
    const made = createVault([{ a: { tokenPath } }]);
    const { vault, clock } = made;
    await refuseUntilBanned(made);
    await clock.advance(1000);
    await expect(vault.acquire()).rejects.toThrow('does not accept any of them');
    writeFileSync(tokenPath, 'two\n');
    await clock.advance(2000);
    expect((await vault.acquire()).info).toMatchObject({ tokenPath, token: 'two' });
  });

  it('should tell certificates of one file from one another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vault-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const certificatePath = join(folder, 'client.crt');
    writeFileSync(certificatePath, 'one\n');
    const made = createVault([{ a: { certificatePath, privateKeyPath: '/does/not/exist' } }]);
    const { vault, transports, clock } = made;
    expect((await refuseUntilBanned(made)).message).toContain('does not accept any of them');
    const tried = transports.length;
    writeFileSync(certificatePath, 'another\n');
    await clock.advance(1000);
    expect(await vault.acquire()).toBeDefined();
    expect(transports).toHaveLength(tried + 1);
  });

  it('should leave it to requests to complain of a token file that is missing', async () => {
    const { vault } = createVault([{ a: { tokenPath: '/does/not/exist' } }]);
    expect((await vault.acquire()).info).toEqual({ server: SERVER, tokenPath: '/does/not/exist' });
  });

  it('should log in once for all requests that wait', async () => {
    const { vault, logins } = createVault([{ a: { token: 'one' } }]);
    expect(vault.current()).toBeUndefined();
    const items = await Promise.all(Array.from({ length: 10 }, () => vault.acquire()));
    expect(new Set(items).size).toBe(1);
    expect(logins()).toBe(1);
    expect(vault.current()).toBe(items[0]);
  });

  it('should prefer the highest priority, and choose among equals at random', async () => {
    const { vault } = createVault([
      { low: { token: 'a', priority: 1 }, one: { token: 'b', priority: 20 }, two: { token: 'c', priority: 20 } },
    ]);
    await vault.acquire();
    const keys = Array.from({ length: 50 }, () => vault.current()!.key);
    expect(new Set(keys)).toEqual(new Set(['one', 'two']));
  });

  it('should fall back to the next credentials, and log in again when there are none left', async () => {
    const { vault, logins } = createVault([
      { good: { token: 'a', priority: 2 }, other: { token: 'b', priority: 1 } },
      { good: { token: 'c' } },
    ]);
    const first = await vault.acquire();
    await vault.invalidate(first);
    const second = vault.current()!;
    expect([first.key, second.key]).toEqual(['good', 'other']);
    expect(logins()).toBe(1);
    await Promise.all([vault.invalidate(second), vault.invalidate(second), vault.invalidate(first)]);
    expect(logins()).toBe(2);
    expect(vault.current()!.info.token).toBe('c');
  });

  it('should not repeat failing logins for each request, and recover when they work', async () => {
    const depleted: LoginError[] = [];
    const { vault, clock, logins } = createVault([new Error('no plugin'), {}, { a: { token: 'x' } }], {
      onDepleted: (error) => depleted.push(error),
    });
    await expect(vault.acquire()).rejects.toThrow('Cannot log in: no plugin');
    await expect(vault.acquire()).rejects.toThrow('Cannot log in: no plugin');
    expect(logins()).toBe(1);
    await clock.advance(1000);
    await expect(vault.acquire()).rejects.toThrow('No valid credentials: no login has found any.');
    await clock.advance(1000);
    await expect(vault.acquire()).rejects.toThrow('No valid credentials');
    expect(logins()).toBe(2);
    await clock.advance(1000);
    expect((await vault.acquire()).key).toBe('a');
    expect(depleted.length).toBe(2);
  });

  it('should replace credentials when they expire, and let their requests finish', async () => {
    const clock = new VirtualClock();
    const expiresIn = (milliseconds: number): Date => new Date(clock.now() + milliseconds);
    const { vault, transports } = createVault(
      [{ a: { token: '1', expiration: expiresIn(5000) } }, { a: { token: '2', expiration: expiresIn(10_000) } }],
      { clock },
    );
    const first = await vault.acquire();
    await clock.advance(4999);
    expect(vault.current()).toBe(first);
    await clock.advance(1);
    expect(vault.current()).toBeUndefined();
    expect((await vault.acquire()).info.token).toBe('2');
    expect(transports.map((transport) => transport.retired)).toEqual([true, false]);
    await vault.close();
    expect(transports.map((transport) => transport.closed)).toEqual([false, true]);
    await expect(vault.acquire()).rejects.toThrow('closed');
  });

  describe('with a clock that is wrong', () => {
    const HOUR = 3_600_000;

    it.each([
      ['right', 0],
      ['an hour behind', -HOUR],
      ['twelve hours behind', -12 * HOUR],
      ['an hour ahead', HOUR],
      ['twelve hours ahead', 12 * HOUR],
    ])('should use credentials of an hour until the server refuses them: a clock that is %s', async (_, skew) => {
      const truth = new VirtualClock();
      const clock = skewed(truth, () => skew);
      const expiresIn = (milliseconds: number): Date => new Date(truth.now() + milliseconds);
      const found = { a: { token: '1', expiration: expiresIn(HOUR) } };
      const { vault, logins } = createVault([found], { clock });
      await vault.acquire();
      await truth.advance(HOUR - 1);
      expect(vault.current()?.info.token).toBe('1');
      expect(logins()).toBe(1);
      await truth.advance(2);
      found.a = { token: '2', expiration: expiresIn(HOUR) };
      // Either the vault has known it, or the server says so.
      const item = vault.current();
      if (item) await vault.invalidate(item);
      expect((await vault.acquire()).info.token).toBe('2');
    });

    it('should say so if credentials seem to have expired before they came', async () => {
      const { vault, logger, clock } = createVault([{ a: { token: '1', expiration: new Date(0) } }]);
      expect((await vault.acquire()).info.token).toBe('1');
      await clock.advance(HOUR);
      expect(vault.current()?.info.token).toBe('1');
      expect(logger.messages('warn')).toEqual([
        'The new credentials of a have expired at 1970-01-01T00:00:00.000Z, while the clock of this host says ' +
          '2020-12-31T23:59:59.000Z; one of both is wrong. They are used until the API server refuses them.',
      ]);
    });

    it('should not lose credentials when the clock is set', async () => {
      const truth = new VirtualClock();
      let skew = 0;
      const clock = skewed(truth, () => skew);
      const { vault, logins } = createVault([{ a: { token: '1', expiration: new Date(truth.now() + HOUR) } }], {
        clock,
      });
      await vault.acquire();
      skew = 12 * HOUR;
      await truth.advance(HOUR / 2);
      expect(vault.current()).toBeDefined();
      expect(logins()).toBe(1);
    });

    /** The clock of a host whose wall clock differs from the truth. */
    function skewed(truth: VirtualClock, skew: () => number): Clock {
      return {
        now: () => truth.now() + skew(),
        monotonic: () => truth.monotonic(),
        setTimer: (callback, milliseconds) => truth.setTimer(callback, milliseconds),
      };
    }
  });

  it('should refuse contradicting fields and say which, and use the other credentials', async () => {
    const { vault, logger } = createVault([{ bad: { caPath: '/ca', caData: 'c2VjcmV0' }, good: { token: 'x' } }]);
    expect((await vault.acquire()).key).toBe('good');
    expect(logger.lines.find((line) => line.level === 'error')).toMatchObject({
      message: 'The credentials of bad are not usable.',
      error: { message: 'Only one of caPath and caData can be set, not both.' },
    });
  });

  it('should show no secrets when it is printed, nor in logs', async () => {
    const secret = 'c2VjcmV0';
    const { vault, logger } = createVault([
      { a: { token: secret, password: secret, privateKeyData: secret, server: `https://user:${secret}@127.0.0.1` } },
    ]);
    const item = await vault.acquire();
    await vault.invalidate(item).catch(() => {});
    const printed =
      inspect([vault, item, logger.lines], { depth: 20, showHidden: true }) + JSON.stringify([vault, item]);
    expect(printed).not.toContain(secret);
  });
});
