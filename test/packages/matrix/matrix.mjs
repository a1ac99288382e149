// matrix.mjs [--short]: packs the built libraries, installs them with npm in projects outside of the workspace, without any overrides, and
// runs one service in each combination of Nest, client-node, module system, Node.js, and HTTP platform. It prints a table, and fails if a
// combination does not do what `expectation()` says. `--short` takes the Node.js that runs it, two pairs of Nest and client-node,
// and two module systems.
// Build the libraries before: npm run build
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PUBLISHED_FOLDERS } from '../../tools/libraries.mjs';

const ROOT = join(import.meta.dirname, '../../..');
const ANSWER =
  'Hello, world! Hello from the edge, world! 200 Nobody cannot be greeted. console 200, manifests true, findings none';
const PLATFORMS = ['express', 'fastify'];
const NODES = ['20', '22', '24'];
/** The pairs of major versions; TypeScript is the one that `nest new` of that time installs. */
const INSTALLATIONS = [
  { nest: '11', client: '1', typescript: '5.9' },
  { nest: '11', client: '2', typescript: '5.9' },
  { nest: '12', client: '1', typescript: '6.0' },
  { nest: '12', client: '2', typescript: '6.0' },
];
const SYSTEMS = {
  module: { type: 'module', compilerOptions: { module: 'nodenext' } },
  commonjs: { type: 'commonjs', compilerOptions: { module: 'nodenext' } },
  classic: { type: 'commonjs', compilerOptions: { module: 'commonjs', moduleResolution: 'node10' } },
};

const execute = promisify(execFile);

/** The result that a combination must have: `works`, or why it cannot. */
export function expectation({ client, node }) {
  return client === '2' && node === '20' ? 'client-node 2 needs Node.js 22.19' : 'works';
}

/** The table of the guide: a row for each Nest and Node.js, a column for each client-node. */
export function formatTable(resultOf) {
  const rows = ['11', '12'].flatMap((nest) =>
    NODES.map((node) => [
      `Nest ${nest}, Node.js ${node}`,
      ...['1', '2'].map((client) => resultOf({ nest, node, client })),
    ]),
  );
  const table = [['', 'client-node 1', 'client-node 2'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`);
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

class Matrix {
  #folder = mkdtempSync(join(tmpdir(), 'matrix-'));
  #results = [];

  constructor(isShort) {
    this.isShort = isShort;
  }

  /** Runs all combinations; returns the results. */
  async run() {
    try {
      const tarballs = await packLibraries(this.#folder);
      const nodes = this.isShort
        ? [{ node: process.versions.node.split('.')[0], path: process.execPath }]
        : await this.#installNodes();
      const pairs = INSTALLATIONS.filter(({ nest, client }) => !this.isShort || (nest === '11') === (client === '1'));
      for (const pair of pairs) await this.#runPair(pair, tarballs, nodes);
      return this.#results;
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  /** Installs other versions of Node.js by npm's package `node`; names those that this machine cannot have. */
  async #installNodes() {
    const nodes = [];
    for (const node of NODES) {
      const cwd = join(this.#folder, `node-${node}`);
      const path = join(cwd, 'node_modules/node/bin/node');
      try {
        await install(cwd, [`node@${node}`]);
        const { stdout } = await execute(path, ['--version']);
        console.log(`Node.js ${stdout.trim()}`);
        nodes.push({ node, path });
      } catch (error) {
        console.log(`Node.js ${node} cannot be installed on this machine: ${firstLine(error.message)}`);
      }
    }
    return nodes;
  }

  async #runPair({ nest, client, typescript }, tarballs, nodes) {
    const cwd = join(this.#folder, `nest-${nest}-client-${client}`);
    const names = ['common', 'core', 'platform-express', 'platform-fastify', 'terminus', 'testing'];
    const others = [
      `@kubernetes/client-node@${client}`,
      `typescript@~${typescript}`,
      '@types/node@20',
      'reflect-metadata',
      'rxjs',
    ];
    await install(cwd, [...names.map((name) => `@nestjs/${name}@${nest}`), ...others, ...tarballs]);
    const versions = ['@nestjs/core', '@kubernetes/client-node', 'undici', 'typescript'].map(
      (name) => `${name} ${versionOf(cwd, name)}`,
    );
    console.log(versions.join(', '));
    const systems = Object.entries(SYSTEMS).filter(([system]) => !this.isShort || system !== 'commonjs');
    for (const [system, { type, compilerOptions }] of systems) {
      const project = join(cwd, system);
      const error = await compile(
        project,
        join(cwd, 'node_modules/typescript/bin/tsc'),
        type,
        compilerOptions,
        typescript,
      );
      for (const { node, path } of nodes) {
        for (const platform of PLATFORMS) {
          const result = error ?? (await start(path, project, platform));
          const combination = { nest, client, system, node, platform, result };
          this.#results.push(combination);
          const isExpected = (result === 'works') === (expectation(combination) === 'works');
          console.log(
            `${isExpected ? 'ok' : 'NOT OK'}: Nest ${nest}, client-node ${client}, ${system}, Node.js ${node}, ${platform}: ${result}`,
          );
        }
      }
    }
  }
}

/** Packs the built libraries into a folder; returns the files. */
export async function packLibraries(folder) {
  const libraries = PUBLISHED_FOLDERS.map((name) => join(ROOT, 'libs', name));
  const options = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const packed = await Promise.all(libraries.map((cwd) => execute('npm', options, { cwd })));
  return packed.map(({ stdout }) => join(folder, JSON.parse(stdout)[0].filename));
}

/** Installs packages in a folder of their own. */
export async function install(cwd, packages) {
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true }));
  const options = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await execute('npm', [...options, ...packages], { cwd });
}

function versionOf(cwd, name) {
  return JSON.parse(readFileSync(join(cwd, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** Compiles the service; returns the first error. */
async function compile(project, compiler, type, compilerOptions, typescript) {
  mkdirSync(project);
  cpSync(join(import.meta.dirname, 'service.ts'), join(project, 'service.ts'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type }));
  const common = { target: 'ES2022', strict: true, experimentalDecorators: true, emitDecoratorMetadata: true };
  const others = { skipLibCheck: true, outDir: 'dist', rootDir: '.', types: ['node'], esModuleInterop: true };
  const deprecations = typescript === '6.0' ? { ignoreDeprecations: '6.0' } : {};
  const options = { ...common, ...others, ...deprecations, ...compilerOptions };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['service.ts'] }));
  try {
    await execute(process.execPath, [compiler, '--pretty', 'false'], { cwd: project });
    return undefined;
  } catch (error) {
    return `does not compile: ${firstLine(error.stdout)}`;
  }
}

/** Runs the service; returns `works`, or why it does not. */
async function start(node, project, platform) {
  const options = { cwd: project, timeout: 120_000, env: { ...process.env, PLATFORM: platform, NO_COLOR: '1' } };
  try {
    const { stdout } = await execute(node, ['dist/service.js'], options);
    return stdout.trim() === ANSWER ? 'works' : `answers ${stdout.trim()}`;
  } catch (error) {
    const text = `${error.stderr ?? ''}\n${error.message}`;
    return firstLine(/^\w*Error\b.*$/m.exec(text)?.[0] ?? text);
  }
}

function firstLine(text) {
  return text.trim().split('\n', 1)[0];
}

/** Summarizes all module systems and platforms of a pair on one Node.js. */
function summarize(results) {
  if (results.length === 0) return 'not tried';
  const failed = results.filter(({ result }) => result !== 'works');
  return failed.length === 0
    ? 'works'
    : failed.length === results.length
      ? expectation(failed[0])
      : `${failed.length} of ${results.length} fail`;
}

if (import.meta.filename === process.argv[1]) {
  const results = await new Matrix(process.argv.includes('--short')).run();
  const unexpected = results.filter((each) => (each.result === 'works') !== (expectation(each) === 'works'));
  console.log();
  console.log(
    formatTable((cell) =>
      summarize(results.filter((each) => ['nest', 'node', 'client'].every((key) => each[key] === cell[key]))),
    ),
  );
  console.log(
    `${results.length} combinations, ${results.filter(({ result }) => result === 'works').length} work, ${unexpected.length} not as expected`,
  );
  process.exitCode = unexpected.length > 0 ? 1 : 0;
}
