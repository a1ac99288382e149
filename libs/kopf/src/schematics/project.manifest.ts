import { type ProjectManifest, readText, type SchematicTree } from './schematic.tree.js';

/** The task `NodePackageInstallTask` of Angular's devkit. */
export const INSTALLATION = {
  toConfiguration: () => ({ name: 'node-package', options: { command: 'install', quiet: true, hideOutput: true } }),
};

/** Writes the package.json, indented as it was; returns whether that changes it. */
export function writeManifest(tree: SchematicTree, manifest: ProjectManifest): boolean {
  const text = readText(tree, '/package.json');
  if (JSON.stringify(JSON.parse(text)) === JSON.stringify(manifest)) return false;
  const indentation = /^\{\r?\n([^\S\n]+)/.exec(text)?.[1] ?? '  ';
  tree.overwrite('/package.json', `${JSON.stringify(manifest, null, indentation)}\n`);
  return true;
}

/** The packages of a kind with one more, in the order of their names. */
export function withPackage(
  packages: Record<string, string> = {},
  name: string,
  range: string,
): Record<string, string> {
  const entries = Object.entries({ ...packages, [name]: range });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
