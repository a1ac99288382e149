// typescript.mjs: packs the built libraries, installs them with npm in projects outside of the workspace, one for each version of TypeScript,
// and tries there what depends on the compiler: that a project compiles, that slips are named (slips.mjs), and that `kopf` loads a file in
// TypeScript. It fails if anything of that does not hold. Build the libraries before: npm run build
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install, packLibraries } from './matrix.mjs';
import { findUnclear, PROGRAM } from './slips.mjs';

const VERSIONS = ['5.7', '5.9', '6.0', '7.0'];

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
  await install(cwd, [...nest, `typescript@~${version}`, '@types/node@20', 'reflect-metadata', 'rxjs', ...tarballs]);
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(join(cwd, 'operator.ts'), OPERATOR);
  writeFileSync(join(cwd, 'slips.ts'), PROGRAM);
  const compile = (file) => {
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: [file] }));
    return run(cwd, ['node_modules/typescript/bin/tsc', '--pretty', 'false']);
  };
  const unclear = findUnclear((await compile('slips.ts')).stdout);
  const compiled = await compile('operator.ts');
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
