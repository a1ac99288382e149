// The packages of this repository, each after those that it imports.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The folders of the packages in libs, in the order in which they are built. */
export const LIBRARY_FOLDERS = ['kube-common', 'embedded-kube', 'kopf', 'kopf-simulation', 'kopf-console', 'kopf-cli'];

/** Those that are published. */
export const PUBLISHED_FOLDERS = LIBRARY_FOLDERS.filter((folder) => folder !== 'kube-common');

/** The packages by their folders, with what their package.json says of them. */
const LIBRARIES = LIBRARY_FOLDERS.map((folder) => ({
  folder,
  manifest: JSON.parse(readFileSync(join(ROOT, 'libs', folder, 'package.json'), 'utf8')),
}));

/** The folders of the packages that a package is compiled against, and of those that they are compiled against, in the order of their builds. */
export function dependenciesOf(folder) {
  const { manifest } = LIBRARIES.find((library) => library.folder === folder);
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const required = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return foldersOf([...Object.keys({ ...dependencies, ...devDependencies }), ...required]);
}

/** The folders of packages by their names, and of those that they are compiled against, in the order of their builds. */
export function foldersOf(names) {
  const direct = LIBRARIES.filter(({ manifest: { name } }) => names.includes(name)).map(({ folder }) => folder);
  const all = new Set(direct.flatMap((folder) => [folder, ...dependenciesOf(folder)]));
  return LIBRARY_FOLDERS.filter((folder) => all.has(folder));
}

/** The names of all packages, for programs that are made of their sources. */
export const PACKAGE_NAMES = LIBRARIES.map(({ manifest }) => manifest.name);
