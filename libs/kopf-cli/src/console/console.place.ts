import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Random } from 'kube-common';
import { createToken } from './console.gate.js';

/** The place of a console on this machine: it stays the same if the operator is restarted. */
export interface ConsolePlace {
  /** 0 for any free port. */
  readonly port: number;
  readonly token: string;
}

/** Chooses a port that is free now, so that the address can be printed before the server listens there. */
export async function chooseConsolePlace(random: Random): Promise<ConsolePlace> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return { port, token: createToken(random) };
}
