/** The files of a project: the part of the `Tree` of `@angular-devkit/schematics` that is used. */
export interface SchematicTree {
  exists(path: string): boolean;
  read(path: string): Buffer | null;
  create(path: string, content: string): void;
  overwrite(path: string, content: string): void;
  getDir(path: string): { readonly subfiles: readonly string[] };
}

/** The part of the `SchematicContext` of `@angular-devkit/schematics` that is used. */
export interface SchematicContext {
  readonly logger: { info(message: string): void; warn(message: string): void };
  addTask(task: { toConfiguration(): { name: string; options: object } }): unknown;
}

/** A function that changes the files of a project. */
export type SchematicRule = (tree: SchematicTree, context: SchematicContext) => void;

/** The members of a project's package.json that are read and written. */
export interface ProjectManifest {
  readonly type?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/**
 * Reads a file of the project.
 *
 * @throws Error if there is none.
 */
export function readText(tree: SchematicTree, path: string): string {
  const content = tree.read(path);
  if (!content) throw new Error(`There is no file ${path} in the project.`);
  return content.toString('utf8');
}

/** The ending of relative imports: modules name files as they are after compilation, CommonJS leaves it out. */
export function importExtension(tree: SchematicTree): '' | '.js' {
  if (!tree.exists('/package.json')) return '';
  return (JSON.parse(readText(tree, '/package.json')) as ProjectManifest).type === 'module' ? '.js' : '';
}
