import { inspect } from 'node:util';
import { MemoryLogger } from '../../../../../test/support/telemetry/memory.logger.js';
import { ScriptedTransport } from '../../../../../test/support/transport/scripted.api.js';
import { SeededRandom } from 'kube-common';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { type ConnectionInfo, LoginError } from './connection-info.js';
import { KopfVault } from './kopf.vault.js';
import { Vault } from './vault.js';

type Logins = (Readonly<Record<string, Partial<ConnectionInfo>>> | Error)[];

/** Makes a vault whose logins bring these, one after the other; the last one repeats. */
function createVault(logins: Logins) {
  const clock = new VirtualClock();
  const tools = { clock, random: new SeededRandom(1), logger: new MemoryLogger() };
  const createTransport = () => new ScriptedTransport(() => ({ json: {} }));
  const login = () => {
    const found = logins.length > 1 ? logins.shift()! : logins[0];
    if (found instanceof Error) return Promise.reject(found);
    const infos = Object.entries(found).map(([key, info]) => [key, { server: 'https://server', ...info }] as const);
    return Promise.resolve(new Map<string, ConnectionInfo>(infos));
  };
  const vault = new Vault({ login, createTransport, ...tools });
  return { vault, service: new KopfVault(vault), clock };
}

const encode = (claims: object): string =>
  `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVWgAwIBAgIUBYxb+si3yOA9zKJwVYSmHNNKazUwCgYIKoZIzj0EAwIw
LDEXMBUGA1UECgwOc3lzdGVtOm1hc3RlcnMxETAPBgNVBAMMCG9wZXJhdG9yMCAX
DTI2MTEyMjA1MTgxMloYDzIxMjYxMDI5MDUxODEyWjAsMRcwFQYDVQQKDA5zeXN0
ZW06bWFzdGVyczERMA8GA1UEAwwIb3BlcmF0b3IwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR8VLybOfSNIDJhAkmmG69GRWM/StwnUqkydYVU7ehXl3IqMsTF5yAn
J8y+ggOwtMkGO3ZLfwHIPmqIw5kqTxrIo1MwUTAdBgNVHQ4EFgQUzgRMOV1ZEWm8
DSBOAvLlzh9s/yowHwYDVR0jBBgwFoAUzgRMOV1ZEWm8DSBOAvLlzh9s/yowDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAp7dlmobq7ny15taLZUNA
I9Og+N/9RJcKxPF6/Aebx14CIQDjzEED6EpW3AUgDL1YkTYkQ8wuSSt1qbzWN2gn
1YV6kA==
-----END CERTIFICATE-----
`;

describe('KopfVault', () => {
  it('should know nobody before the first login', () => {
    const { service } = createVault([{}]);
    expect([service.logins, service.failure]).toEqual([[], undefined]);
  });

  it('should tell who is logged in where, and until when', async () => {
    const expiration = new Date(60_000_000_000_000);
    const { vault, service } = createVault([
      {
        kubeconfig: {
          server: 'https://me:secret@10.0.0.1:6443/cluster',
          token: encode({ sub: 'system:serviceaccount:default:operator' }),
          defaultNamespace: 'default',
          expiration,
        },
      },
    ]);
    await vault.acquire();
    expect(service.logins).toEqual([
      {
        source: 'kubeconfig',
        server: 'https://10.0.0.1:6443/cluster',
        user: 'system:serviceaccount:default:operator',
        defaultNamespace: 'default',
        expiresAt: expiration,
      },
    ]);
  });

  it.each<[string, Partial<ConnectionInfo>, string | undefined]>([
    ['the user to act as', { impersonateUser: 'jane', username: 'joe', token: encode({ sub: 'jim' }) }, 'jane'],
    ['the subject of a token', { token: encode({ sub: 'jim' }) }, 'jim'],
    ['the name of basic authentication', { username: 'joe', password: 'secret' }, 'joe'],
    ['the common name of a certificate', { certificateData: CERTIFICATE, privateKeyData: 'key' }, 'operator'],
    ['nobody for other tokens', { token: 'opaque' }, undefined],
    ['nobody for broken certificates', { certificateData: 'broken', privateKeyData: 'key' }, undefined],
    ['nobody for missing files', { certificatePath: '/nowhere', privateKeyPath: '/nowhere' }, undefined],
  ])('should take for the user: %s', async (_what, info, user) => {
    const { vault, service } = createVault([{ a: info }]);
    await vault.acquire();
    expect(service.logins.map((login) => login.user)).toEqual([user]);
  });

  it('should tell all credentials of the highest priority, and those that are left when they expire', async () => {
    const { vault, service, clock } = createVault([{}]);
    await expect(vault.acquire()).rejects.toThrow(LoginError);
    const expiration = new Date(clock.now() + 5000);
    const made = createVault([{ one: { priority: 2 }, two: { priority: 2, expiration }, three: { priority: 1 } }]);
    await made.vault.acquire();
    expect(made.service.logins.map(({ source }) => source)).toEqual(['one', 'two']);
    await made.clock.advance(5000);
    expect(made.service.logins.map(({ source, expiresAt }) => [source, expiresAt])).toEqual([['one', undefined]]);
    expect(service.logins).toEqual([]);
  });

  it('should log in again when the credentials are invalidated, though the server would have accepted them', async () => {
    const { vault, service } = createVault([{ a: { username: 'old' } }, { a: { username: 'new' } }]);
    await vault.acquire();
    await service.invalidate();
    expect(service.logins.map(({ user }) => user)).toEqual(['new']);
    await Promise.all([service.invalidate(), service.invalidate()]);
    expect(service.logins.map(({ user }) => user)).toEqual(['new']);
  });

  it('should tell why the last login has failed, and log in at once when it is asked to', async () => {
    const { vault, service } = createVault([new Error('no plugin'), { a: { username: 'operator' } }]);
    await expect(vault.acquire()).rejects.toThrow('no plugin');
    expect(service.failure).toBeInstanceOf(LoginError);
    await expect(vault.acquire()).rejects.toThrow('no plugin');
    await service.invalidate();
    expect([service.failure, service.logins.length]).toEqual([undefined, 1]);
  });

  it('should reject if there is nobody to log in as', async () => {
    const { vault, service } = createVault([{ a: { username: 'operator' } }, {}]);
    await vault.acquire();
    await expect(service.invalidate()).rejects.toThrow(LoginError);
    expect(service.logins).toEqual([]);
    expect(service.failure?.message).toContain('No valid credentials');
  });

  it('should never give away a secret', async () => {
    const secret = 'c2VjcmV0';
    const { vault, service } = createVault([
      { a: { token: secret, password: secret, privateKeyData: secret, server: `https://user:${secret}@127.0.0.1` } },
    ]);
    await vault.acquire();
    const printed = inspect([service, service.logins], { depth: 20, showHidden: true });
    expect(printed + JSON.stringify([service, service.logins])).not.toContain(secret);
  });
});
