import { join } from 'node:path';
import { Tree } from '@angular-devkit/schematics';
import { UnitTestTree } from '@angular-devkit/schematics/testing';
import { generateDaemon, generateOperator, generateResource, generateWebhook, nestAdd } from './index.js';
import type { HandlerSchematicOptions } from './handler.schematics.js';
import type { SchematicContext, SchematicRule } from './schematic.tree.js';

const MODULE = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [],
  controllers: [AppController],
  providers: [],
})
export class AppModule {}
`;
const MAIN = `async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(3000);
}
`;

describe('The schematics', () => {
  let tree: UnitTestTree;
  let tasks: object[];
  let messages: string[];

  beforeEach(() => {
    tree = new UnitTestTree(Tree.empty());
    tree.create('/package.json', JSON.stringify({ name: 'app', dependencies: { rxjs: '^7' } }, null, 4));
    tree.create('/src/app.module.ts', MODULE);
    tree.create('/src/main.ts', MAIN);
    [tasks, messages] = [[], []];
  });

  function run(rule: SchematicRule): void {
    const log = (message: string): unknown => messages.push(message);
    const logger: SchematicContext['logger'] = { info: log, warn: log };
    rule(tree, { logger, addTask: (task) => tasks.push(task.toConfiguration()) });
  }

  const useModules = (): void => tree.overwrite('/package.json', JSON.stringify({ type: 'module' }));

  describe('nest-add', () => {
    it('should import the module last, and let the application stop in order', () => {
      tree.overwrite('/src/app.module.ts', MODULE.replace('imports: []', 'imports: [ConfigModule.forRoot()]'));
      run(nestAdd({}));
      const text = tree.readText('/src/app.module.ts');
      expect(text).toContain(
        "import { AppController } from './app.controller';\nimport { KopfModule } from 'nestjs-kopf';\n",
      );
      expect(text).toContain('  imports: [ConfigModule.forRoot(), KopfModule.forRoot()],\n');
      expect(tree.readText('/src/main.ts')).toContain(
        '  const app = await NestFactory.create(AppModule);\n  app.enableShutdownHooks();\n  await app.listen',
      );
      expect(messages[0]).toBe('Add a first operator: nest generate -c nestjs-kopf operator NAME');
    });

    it('should offer the other packages, and add those that are asked for', () => {
      run(nestAdd({ cli: true }));
      expect(messages.slice(1)).toEqual([
        'To see in a browser what the operator is doing: npm install nestjs-kopf-console',
        'To test operators under crashes and other faults: npm install --save-dev nestjs-kopf-simulation',
      ]);
      run(nestAdd({ cli: true, console: true, simulation: true }));
      const { dependencies, devDependencies } = JSON.parse(tree.readText('/package.json'));
      expect(Object.keys(dependencies)).toEqual(['nestjs-kopf', 'nestjs-kopf-console', 'rxjs']);
      expect(Object.keys(devDependencies)).toEqual(['embedded-kube', 'nestjs-kopf-cli', 'nestjs-kopf-simulation']);
      const text = tree.readText('/src/app.module.ts');
      expect(text).toContain('  imports: [KopfConsoleModule.forRoot(), KopfModule.forRoot()],\n');
      expect(text).toContain("import { KopfConsoleModule } from 'nestjs-kopf-console';\n");
    });

    it('should add both packages, and have them installed', () => {
      run(nestAdd({}));
      const version = expect.stringMatching(/^\^\d+\.\d+\.\d+$/);
      expect(JSON.parse(tree.readText('/package.json'))).toEqual({
        name: 'app',
        dependencies: { 'nestjs-kopf': version, rxjs: '^7' },
        devDependencies: { 'embedded-kube': version },
      });
      expect(tree.readText('/package.json')).toMatch(/^\{\n {4}"name"/);
      expect(tasks).toEqual([{ name: 'node-package', options: expect.objectContaining({ command: 'install' }) }]);
    });

    it('should leave the installation to the user if asked to', () => {
      run(nestAdd({ skipInstall: true }));
      expect(tasks).toEqual([]);
    });

    it('should change nothing when it is called again', () => {
      run(nestAdd({}));
      const files = tree.files.map((file) => tree.readText(file));
      run(nestAdd({}));
      expect(tree.files.map((file) => tree.readText(file))).toEqual(files);
      expect(tasks).toHaveLength(1);
    });

    it('should take another root module, and say what is missing', () => {
      tree.create('/apps/one/src/root.module.ts', MODULE);
      run(nestAdd({ sourceRoot: 'apps/one/src', module: 'root.module.ts' }));
      expect(tree.readText('/apps/one/src/root.module.ts')).toContain('imports: [KopfModule.forRoot()]');
      expect(() => run(nestAdd({ sourceRoot: 'lib' }))).toThrow(
        'There is no root module /lib/app.module.ts: name its file by --module.',
      );
    });
  });

  describe.each([
    ['operator', generateOperator, 'OnCreate'],
    ['webhook', generateWebhook, 'Validate'],
    ['daemon', generateDaemon, 'Daemon'],
  ] as const)('%s', (kind, generate: (options: HandlerSchematicOptions) => SchematicRule, decorator) => {
    const type = `BigClaims${kind[0].toUpperCase()}${kind.slice(1)}`;

    it('should make a class and its test, and declare it in the closest module', () => {
      run(generate({ name: 'bigClaims' }));
      const text = tree.readText(`/src/big-claims/big-claims.${kind}.ts`);
      expect(text).toContain(`export class ${type} {`);
      expect(text).toContain(`@${decorator}(`);
      const spec = tree.readText(`/src/big-claims/big-claims.${kind}.spec.ts`);
      expect(spec).toContain(`import { ${type} } from './big-claims.${kind}';`);
      expect(text + spec).not.toMatch(/<%|%>|undefined'/);
      const module = tree.readText('/src/app.module.ts');
      expect(module).toContain(`import { ${type} } from './big-claims/big-claims.${kind}';\n`);
      expect(module).toContain(`  providers: [${type}],\n`);
    });

    it('should name files with their endings where modules are used', () => {
      useModules();
      run(generate({ name: 'big-claims' }));
      expect(tree.readText(`/src/big-claims/big-claims.${kind}.spec.ts`)).toContain(`'./big-claims.${kind}.js'`);
      expect(tree.readText('/src/app.module.ts')).toContain(`'./big-claims/big-claims.${kind}.js'`);
    });

    it('should take folders, no separate folder, no test, another suffix, and no module', () => {
      tree.create('/apps/one/src/billing/billing.module.ts', '@Module({})\nexport class BillingModule {}\n');
      const sourceRoot = 'apps/one/src';
      run(generate({ name: 'billing/claims', sourceRoot, flat: true, specFileSuffix: 'test' }));
      run(generate({ name: 'others', path: 'billing', sourceRoot, spec: false, skipImport: true }));
      expect(tree.files.filter((file) => file.includes('billing') && !file.includes('module'))).toEqual([
        `/${join(sourceRoot, 'billing')}/claims.${kind}.test.ts`,
        `/${join(sourceRoot, 'billing')}/claims.${kind}.ts`,
        `/${join(sourceRoot, 'billing')}/others/others.${kind}.ts`,
      ]);
      const module = tree.readText('/apps/one/src/billing/billing.module.ts');
      expect(module).toContain(`from './claims.${kind}';`);
      expect(module).not.toContain('Others');
    });

    it('should say that there is no module', () => {
      tree.delete('/src/app.module.ts');
      run(generate({ name: 'claims' }));
      expect(messages).toContain('No module was found: add the class to the providers of one.');
      expect(() => run(generate({ name: '' }))).toThrow(`The ${kind} needs a name.`);
    });
  });

  it('should have webhooks served by the module that has the operator', () => {
    run(nestAdd({}));
    tree.create('/src/billing/billing.module.ts', '@Module({})\nexport class BillingModule {}\n');
    run(generateWebhook({ name: 'billing/claims' }));
    run(generateWebhook({ name: 'billing/others' }));
    const module = tree.readText('/src/app.module.ts');
    expect(module).toContain('  imports: [KopfAdmissionModule.forRoot(), KopfModule.forRoot()],\n');
    expect(module).toContain("import { KopfModule, KopfAdmissionModule } from 'nestjs-kopf';\n");
    expect(tree.readText('/src/billing/billing.module.ts')).toContain('providers: [ClaimsWebhook, OthersWebhook]');
    expect(messages.at(-1)).toMatch(/^Say where API servers reach the application: /);
  });

  describe('resource', () => {
    it('should make the resource in a module, which the closest one imports before the operator', () => {
      run(nestAdd({}));
      run(generateResource({ name: 'Tenant' }));
      expect(tree.files.filter((file) => file.startsWith('/src/tenant/'))).toEqual(
        ['module.spec.ts', 'module.ts', 'operator.ts', 'resource.ts', 'webhook.ts', 'sample.yaml'].map(
          (file) => `/src/tenant/tenant.${file}`,
        ),
      );
      expect(tree.readText('/src/app.module.ts')).toContain(
        '  imports: [KopfAdmissionModule.forRoot(), TenantModule, KopfModule.forRoot()],\n',
      );
      expect(tree.readText('/src/tenant/tenant.module.ts')).toContain('providers: [TenantOperator, TenantWebhook]');
      for (const file of tree.files) expect(tree.readText(file), file).not.toMatch(/<%|%>|undefined'/);
    });

    it('should add class-validator to the project, unless it is there', () => {
      run(generateResource({ name: 'tenant' }));
      expect(JSON.parse(tree.readText('/package.json')).dependencies).toHaveProperty('class-validator');
      expect(tasks).toHaveLength(1);
      run(generateResource({ name: 'other' }));
      expect(tasks).toHaveLength(1);
    });

    it.each(['dto', 'type'] as const)('should take the class of a file as the spec, by the option %s', (option) => {
      const file = 'src/tenants/dto/create-tenant.dto.ts';
      tree.create(`/${file}`, 'export class CreateTenantDto {\n  @IsString()\n  owner: string;\n}\n');
      run(generateResource({ name: 'tenant', [option]: file, group: 'acme.com' }));
      const resource = tree.readText('/src/tenant/tenant.resource.ts');
      expect(resource).toContain("import { CreateTenantDto } from '../tenants/dto/create-tenant.dto';");
      expect(resource).toContain("group: 'acme.com', spec: CreateTenantDto, status: TenantStatus");
      expect(tree.readText('/src/tenant/tenant.sample.yaml')).toContain('spec:\n  owner: "example"\n');
    });

    it('should say that the file of the spec is not there, or has no class', () => {
      expect(() => run(generateResource({ name: 'tenant', dto: 'src/no.ts' }))).toThrow('There is no file /src/no.ts');
      expect(() => run(generateResource({ name: 'tenant', dto: 'src/main.ts' }))).toThrow(
        'The file src/main.ts exports no class.',
      );
    });

    it('should import its module also where both are in one folder', () => {
      run(generateResource({ name: 'tenant', flat: true }));
      expect(tree.readText('/src/app.module.ts')).toContain("import { TenantModule } from './tenant.module';");
    });
  });
});
