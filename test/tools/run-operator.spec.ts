import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestProcess } from '../support/programs/child.process.js';
import { eventually } from '../support/time/eventually.js';

const root = join(import.meta.dirname, '../..');

const START = `
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { KopfModule, OnCreate } from 'nestjs-kopf';
`;

const APPLICATION = (method: string, options = '') => `${START}
@Injectable() class Op { ${method} }
@Module({ imports: [KopfModule.forRoot({ credentials: { server: 'http://127.0.0.1:1' }, ${options} } as any)], providers: [Op] })
class App {}
await NestFactory.createApplicationContext(App, { logger: ['error'] });
`;

describe('npm run operator', () => {
  /** Runs a program until it ends; returns its code, and what it has printed. */
  async function run(source: string): Promise<{ readonly code: number | null; readonly output: string }> {
    mkdirSync(join(root, 'dist'), { recursive: true });
    // Within the workspace, so that its packages are found.
    const folder = mkdtempSync(join(root, 'dist/run-operator-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'program.ts');
    writeFileSync(file, source);
    const child = new TestProcess(process.execPath, [join(root, 'test/tools/run-operator.mjs'), file]);
    onTestFinished(() => child.kill());
    await eventually('the program has ended', () => !child.running);
    return { code: child.exitCode, output: child.output.replaceAll(folder, '') };
  }

  it('should show the lines of the source in errors', async () => {
    const { code, output } = await run(`

function broken(): never {
  const what: string = 'broken';
  throw new Error(what);
}
setTimeout(broken, 1);
`);
    expect(code).toBe(1);
    expect(output).toMatch(/Error: broken\n {4}at \S*broken \(\/program\.ts:5:9\)/);
  });

  it.each([
    [
      'an option of a decorator',
      APPLICATION(`@OnCreate('pods', { retries: -1 }) create() {}`),
      /Op\.create \(@OnCreate\): option 'retries'/,
    ],
    [
      'a decorator in the wrong place',
      APPLICATION(`@OnCreate('pods') static create() {}`),
      /Op\.create \(@OnCreate\): handlers must be/,
    ],
    [
      'an option of the module',
      APPLICATION(`@OnCreate('pods') create() {}`, 'nonsense: 1'),
      /The options of KopfModule are wrong: nonsense/,
    ],
  ])('should name in one message what is to be corrected: %s', async (_what, source, message) => {
    const { code, output } = await run(source);
    expect(code).toBe(1);
    expect(output).toMatch(message);
    expect(output.trim().split('\n')).toHaveLength(2);
    expect(output).not.toMatch(/\n\s+at |dist\/programs|PLUGIN_TIMINGS/);
  });
});
