import { readFileSync } from 'node:fs';
import { type ProjectManifest, readText, type SchematicTree } from './schematic.tree.js';

/** The task `NodePackageInstallTask` of Angular's devkit. */
export const INSTALLATION = {
  toConfiguration: () => ({ name: 'node-package', options: { command: 'install', quiet: true, hideOutput: true } }),
};

/** Reads the package.json of this package. */
export function readOwnManifest(): ProjectManifest & { readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as ReturnType<
    typeof readOwnManifest
  >;
}

/** A package that a project needs, with the range of its versions. */
export interface NeededPackage {
  readonly kind: 'dependencies' | 'devDependencies';
  readonly name: string;
  readonly range: string;
}

/**
 * Adds packages to the package.json of the project, in the order of their names, unless they are there. The file stays indented as it is.
 *
 * @returns whether any package was added.
 */
export function addPackages(tree: SchematicTree, packages: readonly NeededPackage[]): boolean {
  const text = readText(tree, '/package.json');
  const manifest = JSON.parse(text) as ProjectManifest;
  const missing = packages.filter(({ name }) => !(name in { ...manifest.dependencies, ...manifest.devDependencies }));
  if (missing.length === 0) return false;
  for (const { kind, name, range } of missing) {
    const entries = Object.entries({ ...manifest[kind], [name]: range });
    manifest[kind] = Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }
  const indentation = /^\{\r?\n([^\S\n]+)/.exec(text)?.[1] ?? '  ';
  tree.overwrite('/package.json', `${JSON.stringify(manifest, null, indentation)}\n`);
  return true;
}
