import { posix } from 'node:path';
import { DtoSource } from './dto.source.js';
import {
  declareIn,
  findModule,
  folderOf,
  generateFiles,
  importPath,
  serveWebhooks,
  toKebabCase,
  toPascalCase,
  WEBHOOK_HINT,
  type GeneratedOptions,
} from './generated.files.js';
import { addPackages, INSTALLATION, readOwnManifest } from './project.manifest.js';
import { importExtension, readText, type SchematicRule, type SchematicTree } from './schematic.tree.js';

/** The options of `nest generate -c nestjs-kopf resource NAME`. */
export interface ResourceSchematicOptions extends GeneratedOptions {
  /** The file of a class with rules of class-validator, which becomes the spec. @default a class is generated */
  readonly dto?: string;
  /** The same: Nest's command passes on this option, and none that it does not know. */
  readonly type?: string;
  /** The API group of the resource. @default 'example.com' */
  readonly group?: string;
  /** Whether what was added to the package.json is not installed. */
  readonly skipInstall?: boolean;
}

/** The class that is the spec of the resource, and an example of it. */
interface SpecSource {
  readonly name: string;
  /** The lines that import it; empty if the file of the resource has it. */
  readonly imports: { readonly value: string; readonly type: string };
  /** Its code in the file of the resource; empty if it is imported. */
  readonly code: string;
  readonly example: Readonly<Record<string, unknown>>;
}

const CRD_HINT =
  'The CRD follows from the class: `kopf dev` applies it, and `kopf manifests` of nestjs-kopf-cli writes it, with the RBAC rules.';

/** Generates a custom resource in a module, which the closest one imports: its class, operator, webhook, sample, and test. */
export function generateResource(options: ResourceSchematicOptions): SchematicRule {
  const name = toKebabCase(posix.basename(options.name));
  const folder = folderOf('resource', options);
  const { group = 'example.com', dto = options.type } = options;
  return (tree, context) => {
    const className = toPascalCase(name);
    const extension = importExtension(tree);
    const resource = posix.join(folder, `${name}.resource.ts`);
    const spec = dto === undefined ? createSpec(className) : importSpec(tree, dto, resource, extension);
    const sample = posix.join(folder, `${name}.sample.yaml`);
    const validators = `import { ${spec.code ? 'IsInt, ' : ''}IsOptional, IsString${spec.code ? ', Min' : ''} } from 'class-validator';`;
    generateFiles(tree, 'resource', folder, options, {
      name,
      className,
      extension,
      group,
      sample: posix.relative('/', sample),
      classImports: validators,
      specName: spec.name,
      specClass: `${spec.imports.value}${spec.code}`,
      specImport: spec.imports.type,
      specValueImport: spec.imports.value,
      ownClasses: `${spec.code ? `type ${spec.name}, ` : ''}type ${className}Status`,
      ownSpec: spec.code ? `, ${spec.name}` : '',
    });
    tree.create(sample, formatSample(group, className, spec.example));
    if (addValidator(tree) && !options.skipInstall) context.addTask(INSTALLATION);
    if (dto !== undefined) {
      context.logger.info(
        `${posix.basename(sample)} has an example of ${spec.name} by its types: adapt it to the rules.`,
      );
    }
    context.logger.info(CRD_HINT);
    context.logger.info(WEBHOOK_HINT);
    if (options.skipImport) return;
    const module = findModule(tree, folder, (text) => !text.includes(`class ${className}Module `));
    if (!module) return context.logger.warn(`No module was found: import ${className}Module in one.`);
    // `KopfModule` stays the last one.
    const file = posix.join(folder, `${name}.module${extension}`);
    declareIn(tree, module, 'imports', { name: `${className}Module`, file }, 'first');
    serveWebhooks(tree, module);
  };
}

/** The class that is generated where no other one is given. */
function createSpec(className: string): SpecSource {
  const code = `
/** What users want. */
export class ${className}Spec {
  @IsString()
  owner!: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  size?: number;
}
`;
  return { name: `${className}Spec`, imports: { value: '', type: '' }, code, example: { owner: 'alice', size: 1 } };
}

/** Finds the class of a file of the project. @throws Error if there is none. */
function importSpec(tree: SchematicTree, dto: string, resource: string, extension: string): SpecSource {
  const path = posix.join('/', dto);
  const { name, example } = new DtoSource(dto, readText(tree, path));
  const from = importPath(resource, path.replace(/\.ts$/, extension));
  const line = (keyword: string): string => `import ${keyword}{ ${name} } from '${from}';\n`;
  return { name, imports: { value: line(''), type: line('type ') }, code: '', example };
}

function formatSample(group: string, kind: string, spec: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(spec).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  return `apiVersion: ${group}/v1\nkind: ${kind}\nmetadata:\n  name: example\nspec:${fields.length > 0 ? `\n${fields.join('')}` : ' {}\n'}`;
}

/** Adds class-validator, which the classes import, in the versions of this package, unless it is there; returns whether it was added. */
function addValidator(tree: SchematicTree): boolean {
  const name = 'class-validator';
  return addPackages(tree, [{ kind: 'dependencies', name, range: readOwnManifest().dependencies![name] }]);
}
