import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Finds ports of the loopback address at which nobody listens, different ones. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  for (const server of servers) if (!server.listening) await once(server, 'listening');
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Finds one such port. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  return port;
}
