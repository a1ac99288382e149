import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { MemoryLogger } from '../../../../../test/support/memory.logger.js';
import { ScriptedTransport } from '../../../../../test/support/scripted.api.js';
import { LoginError, type ConnectionInfo } from './connection-info.js';
import { SeededRandom } from '../../common/random.js';
import { VirtualClock } from '../../testing/virtual.clock.js';
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

describe('Vault', () => {
  it('should tell tokens of one file from one another, and not try one again that was not accepted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vault-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tokenPath = join(folder, 'token');
    writeFileSync(tokenPath, 'one\n');
    const { vault, clock } = createVault([{ a: { tokenPath } }]);
    const item = await vault.acquire();
    await expect(vault.invalidate(item)).rejects.toThrow(LoginError);
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
    const { vault, transports, clock } = createVault([{ a: { certificatePath, privateKeyPath: '/does/not/exist' } }]);
    const item = await vault.acquire();
    await expect(vault.invalidate(item)).rejects.toThrow('does not accept any of them');
    writeFileSync(certificatePath, 'another\n');
    await clock.advance(1000);
    expect(await vault.acquire()).not.toBe(item);
    expect(transports).toHaveLength(2);
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

  it('should not take credentials again that were not accepted, until the ban is over', async () => {
    const { vault, clock, logins } = createVault([{ a: { token: 'bad' } }]);
    const item = await vault.acquire();
    const reason = new Error('401');
    const error = await vault.invalidate(item, reason).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LoginError);
    expect((error as Error).cause).toBe(reason);
    expect(logins()).toBe(2);
    await clock.advance(59_000);
    await expect(vault.acquire()).rejects.toThrow('does not accept any of them');
    await clock.advance(2000);
    expect((await vault.acquire()).info.token).toBe('bad');
    await expect(vault.invalidate(vault.current()!)).rejects.toThrow(LoginError);
    await clock.advance(61_000);
    await expect(vault.acquire()).rejects.toThrow(LoginError);
    await clock.advance(60_000);
    expect((await vault.acquire()).info.token).toBe('bad');
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

  it('should not take credentials that have expired already', async () => {
    const { vault } = createVault([{ a: { token: '1', expiration: new Date(0) } }]);
    await expect(vault.acquire()).rejects.toThrow('expired already');
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
