import { ConsoleLogger, Logger, type LoggerService } from '@nestjs/common';
import { startWithDisks } from '../../support/operators/disks.js';
import { runApplication } from '../support/module.harness.js';
import { AppModule, jsonLogger, WinstonModule } from './logging.example.js';

describe('The examples of logging', () => {
  const defaults = Logger as unknown as { staticInstanceRef?: LoggerService };
  const { staticInstanceRef } = defaults;

  afterEach(() => void (defaults.staticInstanceRef = staticInstanceRef));

  /** Runs the application, and returns what it writes of an object that is created. */
  async function write(module: typeof AppModule, logger: LoggerService): Promise<string[]> {
    const lines: string[] = [];
    const output = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
    onTestFinished(() => output.mockRestore());
    const harness = await startWithDisks();
    await runApplication(harness, module, logger);
    await harness.create('a', { spec: { size: '1G' } });
    await harness.advance(10);
    return lines.flatMap((text) => text.trim().split('\n'));
  }

  it('should write one JSON object for each line, with the object and the handler', async () => {
    const lines = (await write(AppModule, jsonLogger)).map((line) => JSON.parse(line) as Record<string, unknown>);
    const own = lines.filter(({ context }) => context === 'VolumeOperator');
    const object = {
      apiVersion: 'example.com/v1',
      kind: 'Disk',
      namespace: 'ns',
      name: 'a',
      uid: expect.any(String),
    };
    const fields = { object, resource: 'disks.v1.example.com', handler: 'create', attempt: 1, cause: 'create' };
    expect(own.map(({ level, message }) => `${String(level)}: ${String(message)}`)).toEqual([
      "debug: Handler 'create' is invoked.",
      'log: A volume of 1G is created.',
      'debug: It is like ["size"].',
      "debug: Handler 'create' succeeded.",
    ]);
    for (const line of own) expect(line).toMatchObject({ ...fields, operator: 'default' });
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'Creation is processed: 1 succeeded; 0 failed.', context: 'Kopf', object }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('is ready'), context: 'Kopf', operator: 'default' }),
    );
  });

  it('should write text for people, with the object in front', async () => {
    const lines = await write(AppModule, new ConsoleLogger({ colors: false }));
    expect(lines).toContainEqual(
      expect.stringMatching(/ LOG \[VolumeOperator\] \[ns\/a\] A volume of 1G is created\.$/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/ LOG \[Kopf\] \[ns\/a\] Creation is processed: 1 succeeded; 0 failed\.$/),
    );
  });

  it('should have one line at log for each change of an object, beside those of handlers', async () => {
    const lines = await write(AppModule, new ConsoleLogger({ colors: false, logLevels: ['error', 'warn', 'log'] }));
    expect(lines.filter((line) => line.includes('[ns/a]'))).toHaveLength(2);
  });

  it('should give other loggers fields as the setting says', async () => {
    const calls: unknown[][] = [];
    const note = (...args: unknown[]): void => void calls.push(args);
    await write(WinstonModule, { log: note, warn: note, error: note });
    expect(calls).toContainEqual([
      expect.objectContaining({ message: 'A volume of 1G is created.', k8s: expect.objectContaining({ name: 'a' }) }),
      'VolumeOperator',
    ]);
  });
});
