import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'libs/kopf/dist');
const FIXTURES = join(import.meta.dirname, 'fixtures');

/** The packages that an operator needs which uses nothing but handlers of changes, with what Nest brings along. */
const NEEDED = [
  '@nestjs/common',
  '@nestjs/core',
  '@noble/hashes',
  'class-validator',
  'fast-safe-stringify',
  'iterare',
  'libphonenumber-js',
  'path-to-regexp',
  'reflect-metadata',
  'rxjs',
  'tslib',
  'uid',
  'undici',
  'validator',
];

/** The sources that no such operator uses: the servers and tunnels of webhooks, their certificates, the schemas of CRDs, and other entry points. */
const UNUSED = new RegExp(
  `/src/(${[
    'admission/servers/webhook(-local|-server|\\.server|\\.serving|\\.listener|\\.tunnels)',
    'admission/certificates/(secret|self-signed|certificate\\.(factory|rotation))',
    'custom-resources/(schema/|evolution/|definition\\.installation)',
    '(console|cli|manifests|simulation|inspection|metrics|tracing|health|testing|tooling)/',
  ].join('|')})`,
);

/** The files that a program has loaded, and the CPU time of its start in milliseconds. */
interface Start {
  readonly files: readonly string[];
  readonly cpu: number;
}

async function startOperator(folder: string): Promise<Start> {
  const list = join(folder, 'loaded');
  const args = ['--import', join(FIXTURES, 'loaded.files.mjs'), join(FIXTURES, 'bare.operator.mjs')];
  const { stdout } = await execute(process.execPath, args, { env: { ...process.env, LOADED_FILES: list } });
  const { cpu, required } = JSON.parse(stdout) as { cpu: number; required: readonly string[] };
  const imported = readFileSync(list, 'utf8')
    .trim()
    .split('\n')
    .map((url) => fileURLToPath(url));
  return { cpu, files: [...new Set([...imported, ...required])] };
}

function packagesOf(files: readonly string[]): readonly string[] {
  const names = files.map((file) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1]);
  return [...new Set(names.flatMap((name) => (name === undefined ? [] : [name.replace('\\', '/')])))].sort();
}

/** The sources of which a file of the package is made. */
function sourcesOf(file: string): readonly string[] {
  if (!existsSync(`${file}.map`)) return [];
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: readonly string[] };
  return sources.map((source) => join(dirname(file), source).replaceAll('\\', '/'));
}

describe('The start of an operator with one handler', () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'start-'));
    await execute(process.execPath, [join(ROOT, 'test/tools/build.mjs'), 'kopf']);
  }, 240_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('should load what the operator uses, and nothing else', { timeout: 60_000 }, async () => {
    const { files, cpu } = await startOperator(folder);
    const own = files.filter((file) => file.startsWith(DIST));
    const bytes = own.reduce((sum, file) => sum + statSync(file).size, 0);
    console.info(
      `forRoot() loads ${own.length} files of nestjs-kopf, ${bytes} bytes; the start takes ${cpu.toFixed()} ms of CPU`,
    );
    expect(own.length).toBeGreaterThan(10);
    expect(packagesOf(files).filter((name) => !NEEDED.includes(name))).toEqual([]);
    expect(own.flatMap(sourcesOf).filter((source) => UNUSED.test(source))).toEqual([]);
    // A file or a byte more is fine; twice as many are not.
    expect(own.length).toBeLessThan(80);
    expect(bytes).toBeLessThan(1_500_000);
  });
});
