import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedProgram, type Client, output } from '../client.js';

const SOURCES = import.meta.dirname;

/** Clients in Go that work with a server: informers and helpers of client-go, and a manager of controller-runtime on envtest. */
export const goClients: readonly Client[] = ['informers', 'calls', 'manager'].map((program) => ({
  name: `go-${program}`,
  async prepare(isAllowed) {
    const path = await cachedProgram(`go-client-${version()}`, isAllowed, compile);
    if (!path) return 'the programs in Go are not compiled';
    return async (kubeconfig) =>
      (await output(path, [program], { env: { KUBECONFIG: kubeconfig } })).trim().split('\n');
  },
}));

/** Names the state of the sources, so that what is in the cache belongs to them. */
function version(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(SOURCES).sort()) {
    if (/\.(go|mod|sum)$/.test(file)) hash.update(readFileSync(join(SOURCES, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function compile(path: string): Promise<void> {
  await output('go', ['build', '-ldflags=-s -w', '-o', path, '.'], { cwd: SOURCES, env: { CGO_ENABLED: '0' } });
}
