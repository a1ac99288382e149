import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../common/random.js';
import { CliProcess, KubeconfigClient, useCommand } from './cli.process.spec-support.js';

/** All kills: `KILLS=200 npx vitest run libs/embedded-kube/src/command/durability`. */
const KILLS = Number(process.env.KILLS ?? 3);
const WRITERS = 8;
const MAPS = '/api/v1/namespaces/default/configmaps';
/** The state of an object that is not there. */
const GONE = 'gone';

const world = useCommand();

const args = (): string[] => {
  const files = ['--data', join(world.folder, 'data'), '--kubeconfig', join(world.folder, 'kubeconfig')];
  return ['--port', '0', '--controllers', '', ...files];
};
const start = (): Promise<CliProcess> => CliProcess.start(world.command, ...args());

/** The objects that the server lists: their versions by their names. */
async function listed(): Promise<Map<string, string>> {
  const { body } = await world.client.send(MAPS);
  const items = body.items as { metadata: { name: string; resourceVersion: string } }[];
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

/** Creates, changes and deletes objects of its own until a request fails; knows which states each of them can be in. */
class Writer {
  /** The versions that can be stored, by names: one, or two if a write was neither acknowledged nor rejected. */
  readonly states = new Map<string, readonly string[]>();
  acknowledged = 0;
  private count = 0;

  constructor(
    private readonly prefix: string,
    private readonly random: SeededRandom,
    private readonly size: number,
  ) {}

  async write(onAcknowledged: () => void): Promise<void> {
    for (;;) {
      const draw = this.random.next();
      const names = [...this.states].filter(([, [state]]) => state !== GONE).map(([name]) => name);
      const existing = names[Math.floor(this.random.next() * names.length)];
      const isNew = existing === undefined || (draw < 0.5 && names.length < 20);
      const name = isNew ? `${this.prefix}-${this.count++}` : existing;
      await this.change(name, isNew ? 'POST' : draw < 0.8 ? 'PUT' : 'DELETE');
      this.acknowledged += 1;
      onAcknowledged();
    }
  }

  /** @throws Error if the write is not acknowledged */
  async change(name: string, method: 'POST' | 'PUT' | 'DELETE'): Promise<void> {
    const before = this.states.get(name) ?? [GONE];
    this.states.set(name, [...before, 'unknown']);
    const body = { metadata: { name }, data: { text: String(this.random.next()).repeat(this.size) } };
    const answer = await world.client.send(
      method === 'POST' ? MAPS : `${MAPS}/${name}`,
      method,
      method === 'DELETE' ? undefined : body,
    );
    if (answer.status >= 300) {
      this.states.set(name, before);
      throw new Error(JSON.stringify(answer.body));
    }
    this.states.set(name, [method === 'DELETE' ? GONE : (answer.body.metadata.resourceVersion as string)]);
  }

  /** Takes what is stored for the state from now on. @returns what must not be */
  settle(stored: ReadonlyMap<string, string>): string[] {
    const losses: string[] = [];
    for (const [name, states] of this.states) {
      const state = stored.get(name) ?? GONE;
      if (!states.includes(state) && !states.includes('unknown'))
        losses.push(`${name} is ${state} instead of ${states.join()}`);
      this.states.set(name, [state]);
    }
    return losses;
  }
}

describe('the data folder', () => {
  it(
    `should keep every acknowledged write over ${KILLS} kills in streams of writes`,
    async () => {
      const random = new SeededRandom(42);
      const writers = Array.from(
        { length: WRITERS },
        (_, index) => new Writer(`w${index}`, new SeededRandom(index), 100),
      );
      let version = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const server = await start();
        let left = 30 + Math.floor(random.next() * 200);
        let killed: Promise<unknown> | undefined;
        const onAcknowledged = (): void => {
          left -= 1;
          if (left <= 0) killed ??= server.end('SIGKILL');
        };
        await Promise.allSettled(writers.map((writer) => writer.write(onAcknowledged)));
        await killed;
        world.client.close();
        world.client = new KubeconfigClient(join(world.folder, 'kubeconfig'));
        const restarted = await start();
        const stored = await listed();
        expect(writers.flatMap((writer) => writer.settle(stored))).toEqual([]);
        const { body } = await world.client.send(MAPS);
        expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(version);
        version = Number(body.metadata.resourceVersion);
        // Killed once more with nothing under way, in the middle of whatever a start does afterwards.
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
      const writer = new Writer('w', new SeededRandom(1), 500);
      await expect(writer.write(() => undefined)).rejects.toThrow(/"status":"Failure".*EFBIG.*"code":500/);
      expect(writer.acknowledged).toBeGreaterThan(20);
      expect(writer.settle(await listed())).toEqual([]);
      const [name] = [...writer.states].find(([, [state]]) => state !== GONE)!;
      for (const method of ['PUT', 'PUT', 'PUT'] as const) {
        await expect(writer.change(name, method)).rejects.toThrow(/EFBIG/);
      }
      expect((await world.client.send('/readyz?verbose').catch((error: unknown) => error)) instanceof SyntaxError).toBe(
        true,
      );
      expect(writer.settle(await listed())).toEqual([]);
      expect(await limited.end('SIGTERM')).toBe(0);
      expect(statSync(join(world.folder, 'data/objects.journal')).size).toBeLessThanOrEqual(1024 * 1024);

      const server = await start();
      expect(writer.settle(await listed())).toEqual([]);
      await writer.change(name, 'PUT');
      expect(await server.end('SIGTERM')).toBe(0);
      expect(existsSync(join(world.folder, 'data/lock'))).toBe(false);
    },
  );
});
