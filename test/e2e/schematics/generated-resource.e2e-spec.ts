import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Tree } from '@angular-devkit/schematics';
import { UnitTestTree } from '@angular-devkit/schematics/testing';
import { generateResource } from '../../../libs/kopf/src/schematics/index.js';
import type { ResourceSchematicOptions } from '../../../libs/kopf/src/schematics/resource.schematic.js';

const ROOT = join(import.meta.dirname, '../../..');
const DTO = `import { IsIn, IsInt, IsOptional, IsString, Min } from 'class-validator';

export class CreateAccountDto {
  @IsString()
  owner: string;

  @IsInt()
  @Min(3)
  seats: number;

  @IsOptional()
  @IsString()
  note?: string;

  @IsIn(['free', 'paid'])
  plan: 'free' | 'paid';
}
`;

// Beside this file, where the generated tests find the libraries.
const folder = mkdtempSync(join(import.meta.dirname, 'generated-'));
const sourceRoot = relative(ROOT, folder);
const tree = new UnitTestTree(Tree.empty());
tree.create('/package.json', JSON.stringify({ type: 'module' }));
tree.create(`/${sourceRoot}/app.module.ts`, '@Module({})\nexport class AppModule {}\n');
tree.create(`/${sourceRoot}/accounts/dto/create-account.dto.ts`, DTO);

function generate(options: Omit<ResourceSchematicOptions, 'sourceRoot'>): void {
  const logger = { info: () => undefined, warn: () => undefined };
  generateResource({ ...options, sourceRoot })(tree, { logger, addTask: () => undefined });
}

generate({ name: 'tenant' });
generate({ name: 'account', dto: `${sourceRoot}/accounts/dto/create-account.dto.ts` });
for (const file of tree.files.filter((each) => each.startsWith(`/${sourceRoot}`))) {
  mkdirSync(dirname(join(ROOT, file)), { recursive: true });
  writeFileSync(join(ROOT, file), tree.readContent(file));
}

describe('The generated resources', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('should have an example of each required field in the sample', () => {
    expect(tree.readText(`/${sourceRoot}/account/account.sample.yaml`)).toMatch(
      /^spec:\n {2}owner: "example"\n {2}seats: 3\n {2}plan: "free"\n$/m,
    );
  });

  describe('pass their tests:', async () => {
    await import(join(folder, 'tenant/tenant.module.spec.ts'));
    await import(join(folder, 'account/account.module.spec.ts'));
  });
});
