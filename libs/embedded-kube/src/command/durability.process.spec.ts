import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from 'kube-common';
import { CliProcess, KubeconfigClient, useCommand } from './cli.process.spec-support.js';
import { MAPS, type StoredMap, Writer } from './durability.writer.spec-support.js';

/** All kills: `KILLS=200 npx vitest run libs/embedded-kube/src/command/durability`. */
const KILLS = Number(process.env.KILLS ?? 3);
const WRITERS = 8;

const world = useCommand();

const args = (): string[] => {
  const files = ['--data', join(world.folder, 'data'), '--kubeconfig', join(world.folder, 'kubeconfig')];
  return ['--port', '0', '--controllers', '', ...files];
};
const start = (): Promise<CliProcess> => CliProcess.start(world.command, ...args());

/** Returns the objects that the server lists, by their names. */
async function listed(): Promise<Map<string, StoredMap>> {
  const { body } = await world.client.send(MAPS);
  const items = body.items as { metadata: { name: string; resourceVersion: string }; data: { text: string } }[];
  return new Map(items.map(({ metadata, data }) => [metadata.name, { version: metadata.resourceVersion, ...data }]));
}

function writer(prefix: string, seed: number, size: number): Writer {
  return new Writer(prefix, new SeededRandom(seed), size, (path, method, body) =>
    world.client.send(path, method, body),
  );
}

describe('the data folder', () => {
  it(
    `should keep every acknowledged write over ${KILLS} kills in streams of writes`,
    async () => {
      const random = new SeededRandom(42);
      const writers = Array.from({ length: WRITERS }, (_, index) => writer(`w${index}`, index, 100));
      let version = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const server = await start();
        let left = 30 + Math.floor(random.next() * 200);
        let killed: Promise<unknown> | undefined;
        const onAcknowledged = (): void => {
          left -= 1;
          if (left <= 0) killed ??= server.end('SIGKILL');
        };
        await Promise.allSettled(writers.map((each) => each.write(onAcknowledged)));
        await killed;
        world.client.close();
        world.client = new KubeconfigClient(join(world.folder, 'kubeconfig'));
        const restarted = await start();
        const stored = await listed();
        expect(writers.flatMap((each) => each.settle(stored))).toEqual([]);
        const { body } = await world.client.send(MAPS);
        expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(version);
        version = Number(body.metadata.resourceVersion);
        // Killed once more with no request under way, in the middle of what a start does afterwards.
        await restarted.end('SIGKILL');
      }
      expect(writers.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(30 * KILLS);
    },
    60_000 + KILLS * 20_000,
  );

  it.skipIf(process.platform === 'win32')(
    'should reject writes while the disk is full, and lose none of the others',
    async () => {
      const limited = await CliProcess.startLimited(1024, world.command, ...args());
      const only = writer('w', 1, 500);
      await expect(only.write(() => undefined)).rejects.toThrow(/"status":"Failure".*EFBIG.*"code":500/);
      expect(only.acknowledged).toBeGreaterThan(20);
      expect(only.settle(await listed())).toEqual([]);
      const [name] = only.names as [string];
      for (const method of ['PUT', 'PUT', 'PUT'] as const) {
        await expect(only.change(name, method)).rejects.toThrow(/EFBIG/);
      }
      expect((await world.client.send('/readyz?verbose').catch((error: unknown) => error)) instanceof SyntaxError).toBe(
        true,
      );
      expect(only.settle(await listed())).toEqual([]);
      expect(await limited.end('SIGTERM')).toBe(0);
      expect(statSync(join(world.folder, 'data/objects.journal')).size).toBeLessThanOrEqual(1024 * 1024);

      const server = await start();
      expect(only.settle(await listed())).toEqual([]);
      await only.change(name, 'PUT');
      expect(await server.end('SIGTERM')).toBe(0);
      expect(existsSync(join(world.folder, 'data/lock'))).toBe(false);
    },
  );
});
