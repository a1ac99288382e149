import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packLibraries, type PackedLibrary } from './packed.library.js';

const execute = promisify(execFile);
const GUIDE = join(import.meta.dirname, '../docs/examples/testing.example.ts');

/** The packages that a new project of Nest 11 tests with, and those that the libraries need besides. */
const PACKAGES = [
  ...['common', 'core', 'testing'].map((name) => `@nestjs/${name}@11`),
  'jest@30',
  'ts-jest@29',
  '@types/jest@30',
  '@types/node@20',
  'typescript@~5.9',
  'reflect-metadata',
  'rxjs',
  'class-validator',
  'class-transformer',
];

/** Jest as Nest's command sets it up. */
const JEST = {
  moduleFileExtensions: ['js', 'json', 'ts'],
  rootDir: 'src',
  testRegex: '.*\\.spec\\.ts$',
  transform: { '^.+\\.(t|j)s$': 'ts-jest' },
  testEnvironment: 'node',
};

const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'ES2023',
  lib: ['ES2023', 'ESNext.Disposable'],
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  skipLibCheck: true,
  isolatedModules: true,
  outDir: 'dist',
  types: ['node', 'jest'],
};

describe('The guide about testing', () => {
  let folder: string;
  let libraries: readonly PackedLibrary[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jest-'));
    libraries = await packLibraries(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('should have examples that compile and pass in Jest with Nest 11', async () => {
    const cwd = join(folder, 'consumer');
    mkdirSync(join(cwd, 'src'), { recursive: true });
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'consumer', private: true, jest: JEST }));
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }));
    copyFileSync(GUIDE, join(cwd, 'src/testing.spec.ts'));
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await execute('npm', ['install', ...options, ...PACKAGES, ...libraries.map(({ tarball }) => tarball)], { cwd });
    await execute(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit'], { cwd });
    const { stderr } = await execute(process.execPath, ['node_modules/jest/bin/jest.js'], { cwd });
    expect(stderr).toMatch(/^Tests: +9 passed, 9 total$/m);
  });

  it.each(['virtual', 'real'])('should let Jest end, though an operator never starts in time: %s', async (time) => {
    const cwd = join(folder, 'consumer');
    const spec = `
import { OnStartup } from 'nestjs-kopf';
import { KopfTest } from 'nestjs-kopf/testing';

class Hanging {
  @OnStartup()
  start() {
    return new Promise<void>(() => {});
  }
}

beforeAll(async () => {
  await KopfTest.create({ providers: [Hanging], time: '${time}' });
}, 500);

it('should never be called', () => {});
`;
    writeFileSync(join(cwd, `src/hanging-${time}.spec.ts`), spec);
    const args = ['node_modules/jest/bin/jest.js', `hanging-${time}`];
    // Jest waits until nothing keeps its process alive, however long that takes.
    const ended = execute(process.execPath, args, { cwd, timeout: 120_000 });
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/Exceeded timeout of 500 ms/) });
  });
});
