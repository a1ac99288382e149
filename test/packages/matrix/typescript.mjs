// typescript.mjs: packs the built libraries, installs them with npm in projects outside of the workspace, one for each version of TypeScript,
// and tries there what depends on the compiler: that a project compiles, that the types of all packages have no errors, that slips are named
// (slips.mjs), and that `kopf` loads a file in TypeScript. It fails if anything of that does not hold. Build the libraries before: npm run build
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLISHED_FOLDERS } from '../../tools/libraries.mjs';
import { install, packLibraries } from './matrix.mjs';
import { findUnclear, PROGRAM } from './slips.mjs';

const VERSIONS = ['5.7', '5.9', '6.0', '7.0'];

/** The packages whose types entry points use that are only for applications that have them. */
const OPTIONAL_PEERS = ['@kubernetes/client-node@1', '@nestjs/terminus@12', '@opentelemetry/api@1', 'prom-client@15'];

/** The entry points of all packages. */
const PATHS = PUBLISHED_FOLDERS.flatMap((folder) => {
  const manifest = join(import.meta.dirname, '../../../libs', folder, 'package.json');
  const { name, exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  const entries = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  return entries.map(([path]) => name + path.slice(1));
});

/** A file that uses each entry point. That of the compiler's plugin is for compilers with an interface for programs, which TypeScript 7 lacks. */
function usePaths(version) {
  const paths = PATHS.filter((path) => version !== '7.0' || path !== 'nestjs-kopf/plugin');
  return paths.map((path, index) => `export * as entry${index} from '${path}';\n`).join('');
}

const OPERATOR = `import { Injectable } from '@nestjs/common';
import { IsInt, ValidateNested } from 'class-validator';
import { OnCreate, type ChangeContext } from 'nestjs-kopf';
import { CustomResource } from 'nestjs-kopf/crd';

@Injectable()
export class Greetings {
  greet(name: string): string {
    return \`Hello, \${name}!\`;
  }
}

class DiskSpec {
  /** How large it is. */
  @IsInt() size!: number;
}

@CustomResource({ group: 'example.com', version: 'v1' })
export class Disk {
  @ValidateNested() spec!: DiskSpec;
}

@Injectable()
export class DiskOperator {
  constructor(private readonly greetings: Greetings) {}

  @OnCreate(Disk)
  create({ name, spec }: ChangeContext<DiskSpec>) {
    return this.greetings.greet(\`\${name} \${spec.size}\`);
  }
}
`;

const OPTIONS = {
  target: 'ES2022',
  module: 'nodenext',
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
};

/** Runs a program; never rejects. */
function run(cwd, args) {
  return new Promise((resolve) => {
    const options = { cwd, timeout: 120_000, env: { ...process.env, NO_COLOR: '1' } };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

async function tryVersion(version, cwd, tarballs) {
  const nest = ['common', 'core', 'testing'].map((name) => `@nestjs/${name}@12`);
  const others = [`typescript@~${version}`, '@types/node@20', 'reflect-metadata', 'rxjs', ...OPTIONAL_PEERS];
  await install(cwd, [...nest, ...others, ...tarballs]);
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(join(cwd, 'operator.ts'), OPERATOR);
  writeFileSync(join(cwd, 'slips.ts'), PROGRAM);
  writeFileSync(join(cwd, 'entries.ts'), usePaths(version));
  const compile = (file, options = {}) => {
    const compilerOptions = { ...OPTIONS, ...options };
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    return run(cwd, ['node_modules/typescript/bin/tsc', '--pretty', 'false']);
  };
  const unclear = findUnclear((await compile('slips.ts')).stdout);
  const compiled = await compile('operator.ts');
  const { stdout: errors } = await compile('entries.ts', { skipLibCheck: false });
  const mistyped = errors
    .split('\n')
    .filter((line) => /^(entries\.ts|node_modules\/(nestjs-kopf|embedded-kube)[\w-]*\/)/.test(line));
  const loaded = await run(cwd, [
    'node_modules/nestjs-kopf-cli/bin/kopf.js',
    'manifests',
    'operator.ts',
    '--name',
    'test',
    '-o',
    'yaml',
  ]);
  return [
    ...mistyped.map((error) => `error in types: ${error}`),
    ...unclear.map((slip) => `unclear message: ${slip}`),
    ...(compiled.code === 0 ? [] : [`does not compile: ${compiled.stdout}`]),
    ...(loaded.code === 0 && /description: How large it is\./.test(loaded.stdout)
      ? []
      : [`is not loaded: ${loaded.stderr}`]),
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'typescript-'));
try {
  const tarballs = await packLibraries(folder);
  for (const version of VERSIONS) {
    const problems = await tryVersion(version, join(folder, version), tarballs);
    console.log(`TypeScript ${version}: ${problems.length === 0 ? 'works' : `\n${problems.join('\n')}`}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
