import { buildLibraries, KopfProject } from '../../support/programs/kopf.project.js';

/** The installed compilers, each as the project's `typescript`. */
const COMPILERS = ['typescript', 'typescript7'];

const FILES: Readonly<Record<string, string>> = {
  'tsconfig.json': `{
  "extends": "./config/base.json",
  "include": ["src"],
  "compilerOptions": { "module": "nodenext", "types": ["node"] }
}`,
  'config/base.json': `{
  // The options of all projects: "paths" are relative to this file.
  "compilerOptions": {
    "strict": true,
    "composite": true,
    "removeComments": true,
    "outDir": "../dist",
    "lib": ["es2023"],
    "paths": { "@services/*": ["../src/services/*"], /* a file */ "words": ["../src/word.ts"], },
  },
}`,
  'src/word.ts': `
export const WORD: string = 'Hello';
export enum Kind {
  Fast = 'fast',
  Slow = 'slow',
}
`,
  'src/services/index.ts': `export * from './greeting.service.js';\n`,
  'src/services/greeting.service.ts': `
import { Injectable } from '@nestjs/common';
import { WORD } from 'words';
import type { Named } from './named.mjs';

@Injectable()
export class GreetingService {
  greet({ name }: Named): string {
    return \`\${WORD}, \${name}!\`;
  }
}
`,
  'src/services/named.mts': `export interface Named {
  readonly name: string;
}
`,
  'src/disk.ts': `
import { IsEnum, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { CustomResource } from 'nestjs-kopf/crd';
import { Kind } from './word';

class Part {
  /** The name of the part. */
  @IsString() name!: string;
}

class DiskSpec {
  /**
   * How large it is,
   * in {@link https://example.com/gib | GiB}.
   *
   * The second paragraph.
   * @default none
   */
  @IsInt() size!: number;
  @IsOptional() @ValidateNested() part?: Part;
  @IsOptional() @IsEnum(Kind) kind?: Kind;
}

/** A disk. */
@CustomResource({ group: 'example.com', version: 'v1' })
export class Disk {
  @ValidateNested() spec!: DiskSpec;
}
`,
  'src/operator.ts': `
import { Injectable } from '@nestjs/common';
import { GreetingService } from '@services/greeting.service.js';
import { OnCreate, type ChangeContext } from 'nestjs-kopf';
import { Disk } from './disk.js';
export * from './services';

@Injectable()
export class DiskOperator {
  constructor(private readonly greetings: GreetingService) {}

  @OnCreate(Disk)
  create(context: ChangeContext) {
    if (context.spec.size < 0) throw new Error('The size is negative.');
    return this.greetings.greet(context);
  }
}
`,
  'src/broken.ts': 'const fine = 1;\nconst = 1;\n',
  'src/failing.ts': `\n\nexport class Failing { static readonly value: number = (undefined as any).missing; }\n`,
};

describe('Files in TypeScript', () => {
  const projects = new Map(COMPILERS.map((compiler) => [compiler, new KopfProject(undefined, compiler)]));

  beforeAll(async () => {
    await buildLibraries();
    for (const project of projects.values()) {
      for (const [name, text] of Object.entries(FILES)) project.write(name, text);
    }
  }, 120_000);

  afterAll(() => projects.forEach((project) => project.remove()));

  it('should be loaded alike by all compilers, with the paths of the project and the descriptions of CRDs', async () => {
    const run = (project: KopfProject) => project.run('manifests', 'src/operator.ts', '--name', 'test', '-o', 'yaml');
    const outcomes = await Promise.all([...projects.values()].map(run));
    expect(outcomes.map(({ code, err }) => ({ code, err }))).toEqual(COMPILERS.map(() => ({ code: 0, err: '' })));
    const [first, ...others] = outcomes.map(({ out }) => out);
    expect(first).toMatch(/description: A disk\./);
    expect(first).toMatch(/How large it is, in GiB\.[^]*The second paragraph\./);
    expect(first).toMatch(/description: The name of the part\./);
    for (const other of others) expect(other).toBe(first);
  });

  it.each(COMPILERS)('should be named with the position of what is wrong: %s', async (compiler) => {
    const project = projects.get(compiler)!;
    const [broken, failing] = await Promise.all(
      ['src/broken.ts', 'src/failing.ts'].map((file) => project.run('manifests', file, '--name', 'test')),
    );
    expect(broken).toMatchObject({ code: 1, out: '' });
    expect(broken.err).toMatch(/src\/broken\.ts cannot be loaded: broken\.ts:2:7: Variable declaration expected\./);
    expect(failing).toMatchObject({ code: 1, out: '' });
    expect(failing.err).toMatch(/src\/failing\.ts cannot be loaded: Cannot read properties of undefined/);
  });
});
