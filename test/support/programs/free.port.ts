import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that the system gives to connections and to servers which name none: those could take a port before it is used. */
const RANGE = [10_000, 32_000] as const;

/** Finds several free ports of the loopback address, at random, so that other processes are unlikely to find the same ones. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = new Map<number, Server>();
  while (servers.size < count) {
    const port = randomInt(...RANGE);
    const server = servers.has(port) ? undefined : await listen(port);
    if (server) servers.set(port, server);
  }
  await Promise.all([...servers.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  return [...servers.keys()];
}

/** Finds one such port. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  return port;
}

/** Listens at a port; `undefined` if another server does already. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
