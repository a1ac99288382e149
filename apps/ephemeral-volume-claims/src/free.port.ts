import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Finds the first of some ports of the loopback interface that no other program has; 0 is any free one.
 *
 * @throws Error with the code `EADDRINUSE` if all are taken.
 */
export async function findFreePort([port, ...others]: readonly number[]): Promise<number> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || others.length === 0) throw error;
    return findFreePort(others);
  }
  await once(server.close(), 'close');
  return port;
}
